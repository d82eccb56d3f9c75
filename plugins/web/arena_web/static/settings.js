// Settings that this browser keeps from page to page, as texts by their names.

/**
 * Load a setting; null where none was saved, or where the browser keeps nothing.
 * @param {string} name
 */
export function loadSetting(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/**
 * Save a setting.
 * @param {string} name
 * @param {string} text
 */
export function saveSetting(name, text) {
  try {
    localStorage.setItem(name, text);
  } catch {
    // it holds for this page
  }
}
