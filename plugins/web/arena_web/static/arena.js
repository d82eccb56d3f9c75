// What all pages share. The page's policy allows no script but our own files, and no HTML made of text but by the one
// Trusted Types policy here.
//
// There are two kinds of scripts. A page of a site of files, which is opened from a disk, may load no module; so what
// such pages show (lists, boards, replays) are plain scripts, each a function that hangs what others need on `arena`, in
// the order in which pages name them. What needs a server (a seat, the page of who watches) are modules, which import
// each other, and use `arena` where they share something with plain scripts.
"use strict";
const arena = {};
(() => {
  const folder = /** @type {HTMLScriptElement} */ (document.currentScript).src.replace(/[^/]*$/, ""); // of our files
  const scripts = {}; // promises of files that were asked for, by their names

  /** Makes addresses of scripts, and fragments of our own server, where the browser asks for that. */
  arena.policy = window.trustedTypes
    ? trustedTypes.createPolicy("arena", {
        createHTML: (text) => text, // only for arena.fragment
        createScriptURL: (url) => {
          if (/^(data\/)[a-z]\d{5}\.js$/.test(url)) return url;
          if (url.startsWith(folder) && /^[a-z]+\.js$/.test(url.slice(folder.length))) return url;
          throw new TypeError(`not a script of this site: ${url}`);
        },
      })
    : { createHTML: (text) => text, createScriptURL: (url) => url };

  const loadFile = (name) => new Promise((resolve, reject) => {
    const isStyle = name.endsWith(".css");
    const file = isStyle ? arena.element("link", { rel: "stylesheet", href: folder + name }) : arena.element("script");
    file.onload = resolve;
    file.onerror = () => {
      delete scripts[name];
      reject(new Error(name));
    };
    if (!isStyle) file.src = arena.policy.createScriptURL(folder + name);
    document.head.append(file);
  });

  /**
   * Load others of our files when they are needed, such as "hints.js" or "hints.css".
   * @param {...string} names
   * @returns {Promise<any>}
   */
  arena.load = (...names) => Promise.all(names.map((name) => (scripts[name] ??= loadFile(name))));

  /**
   * The element of this page with an id.
   * @param {string} id
   * @returns {?HTMLElement}
   */
  arena.byId = (id) => document.getElementById(id);

  const setAttributes = (element, attributes) => {
    for (const [key, value] of Object.entries(attributes))
      if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  };

  /**
   * Build an element: arena.element("p", { class: "x" }, "text", child...). Text is text, never HTML.
   * @param {string} name
   * @param {Object<string, any>} [attributes] - those that are null, undefined or false are left out
   * @param {...(Node | string)} children
   * @returns {HTMLElement}
   */
  arena.element = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    setAttributes(element, attributes);
    element.append(...children);
    return element;
  };

  /**
   * Build an element of a picture: arena.svg("rect", { width: 3 }, child...).
   * @param {string} name
   * @param {Object<string, any>} attributes
   * @param {...(Node | string)} children
   * @returns {SVGElement}
   */
  arena.svg = (name, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    setAttributes(element, attributes);
    element.append(...children);
    return element;
  };

  /**
   * Count things: "1 card", "2 cards".
   * @param {number} number
   * @param {string} noun
   * @returns {string}
   */
  arena.counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

  /**
   * The text of a line of a step.
   * @param {string | [string, string]} line - a text or [MARK, text]
   * @returns {string}
   */
  arena.plain = (line) => (Array.isArray(line) ? line[1] : line);

  /**
   * Whether a key is not for the page: it belongs to a field or an open menu, or with Control, Alt or Meta to the browser.
   * @param {KeyboardEvent & {target: Element}} event
   * @returns {boolean}
   */
  arena.isKeyOfControl = (event) =>
    event.ctrlKey || event.altKey || event.metaKey || event.isComposing ||
    event.target.closest("select, textarea, input:not([type=range])") !== null ||
    document.querySelector(":popover-open, dialog[open]") !== null;

  /**
   * What this browser has stored under a name; a browser may allow to store nothing.
   * @param {string} name
   * @returns {?string}
   */
  arena.recall = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };

  /**
   * Have this browser store a text under a name.
   * @param {string} name
   * @param {string} text
   */
  arena.remember = (name, text) => {
    try {
      localStorage.setItem(name, text);
    } catch {
      // it holds for this page
    }
  };

  // Times are those of the reader's own clock; without scripts they are in UTC, as in their titles
  const dates = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
  const showLocalTimes = (root) => {
    for (const time of root.querySelectorAll("time[datetime]")) {
      time.title = time.textContent;
      time.textContent = dates.format(new Date(time.dateTime));
    }
  };

  /**
   * The nodes of a fragment that our own server has made; whatever a stranger wrote is text in it.
   * @param {string} text
   * @returns {ChildNode[]}
   */
  arena.fragment = (text) => {
    const { body } = new DOMParser().parseFromString(arena.policy.createHTML(text), "text/html");
    showLocalTimes(body);
    return [...body.childNodes];
  };

  // On a telephone the ways between the pages are one row that is pushed sideways: where one is comes into view
  const showWhereOneIs = () => {
    const here = document.querySelector(".top [aria-current]");
    if (here) here.parentElement.scrollLeft = here.offsetLeft - (here.parentElement.clientWidth - here.offsetWidth) / 2;
  };

  document.addEventListener("DOMContentLoaded", () => {
    showLocalTimes(document);
    showWhereOneIs();
  });
})();
