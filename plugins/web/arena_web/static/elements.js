// The elements of a page: they are found where they have to be, and built of text that is never HTML.

/**
 * The attributes of an element; those that are null, undefined or false are left out.
 * @typedef {Record<string, string | number | boolean | null | undefined>} Attributes
 */

/**
 * The elements with these ids are of this kind on all pages that have them.
 * @template {string} K
 * @typedef {K extends keyof PageElements ? PageElements[K] : HTMLElement} ElementOf
 */

/**
 * The element of this page with an id, which is there.
 * @template {string} K
 * @param {K} id
 * @returns {ElementOf<K>}
 */
export function byId(id) {
  const element = findById(id);
  if (!element) throw new Error(`this page has no element with the id ${id}`);
  return element;
}

/**
 * The element of this page with an id, if this page has it.
 * @template {string} K
 * @param {K} id
 * @returns {?ElementOf<K>}
 */
export function findById(id) {
  return /** @type {?ElementOf<K>} */ (document.getElementById(id));
}

/**
 * The first element that selectors name, which is there.
 * @template {Element} [E=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selectors
 * @returns {E}
 */
export function find(root, selectors) {
  /** @type {?E} */
  const element = root.querySelector(selectors);
  if (!element) throw new Error(`this page has no element ${selectors}`);
  return element;
}

/** @type {(element: Element, attributes: Attributes) => void} */
function setAttributes(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(key, value === true ? "" : String(value));
    }
  }
}

/**
 * Build an element: element("p", { class: "x" }, "text", child...).
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, attributes = {}, ...children) {
  const built = document.createElement(name);
  setAttributes(built, attributes);
  built.append(...children);
  return built;
}

/**
 * Build an element of a picture: svg("rect", { width: 3 }, child...).
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} attributes
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(name, attributes, ...children) {
  const built = document.createElementNS("http://www.w3.org/2000/svg", name);
  setAttributes(built, attributes);
  built.append(...children);
  return built;
}

/**
 * Build a button.
 * @param {string} label
 * @param {?() => void} onPress
 * @param {string} [kind] - its class
 */
export function buildButton(label, onPress, kind) {
  const button = element("button", { type: "button", class: kind }, label);
  if (onPress) button.addEventListener("click", onPress);
  return button;
}
