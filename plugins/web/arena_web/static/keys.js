// Keys that are for the page, and those that are not.

/**
 * Whether a key is not for the page: it belongs to a field or an open menu, or with Control, Alt or Meta to the browser.
 * @param {KeyboardEvent} event
 */
export function isForeignKey(event) {
  return event.ctrlKey || event.altKey || event.metaKey || event.isComposing ||
    event.target.closest("select, textarea, input:not([type=range])") !== null ||
    document.querySelector(":popover-open, dialog[open]") !== null;
}
