// Styles that are loaded once they are needed.

/** @type {Map<string, Promise<unknown>>} */
const loading = new Map(); // by the names of files

/** @type {(name: string) => Promise<unknown>} */
const load = (name) => new Promise((resolve, reject) => {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL(name, import.meta.url).href;
  link.onload = resolve;
  link.onerror = () => {
    loading.delete(name); // so that it is tried again
    reject(new Error(name));
  };
  document.head.append(link);
});

/**
 * Load one of our styles, unless it is there.
 * @param {string} name - such as "hints.css"
 */
export function loadStyle(name) {
  const promise = loading.get(name) ?? load(name);
  loading.set(name, promise);
  return promise;
}
