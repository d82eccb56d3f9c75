// What all pages share. The page's policy allows no script but our own files, and no HTML made of text but by the one
// Trusted Types policy here.
//
// There are two kinds of scripts. A page of a site of files, which is opened from a disk, may load no module; so what
// such pages show (lists, boards, replays) are plain scripts, each a function that hangs what others need on `arena`, in
// the order in which pages name them. What needs a server (a seat, what is live) are modules, which import
// each other, and use `arena` where they share something with plain scripts.
"use strict";
const arena = /** @type {Arena} */ ({});
(() => {
  const folder = /** @type {HTMLScriptElement} */ (document.currentScript).src.replace(/[^/]*$/, ""); // of our files
  /** @type {Record<string, Promise<Event>>} */
  const scripts = {}; // promises of files that were asked for, by their names

  /** Makes addresses of scripts, and fragments of our own server, where the browser asks for that. */
  arena.policy = window.trustedTypes
    ? window.trustedTypes.createPolicy("arena", {
        createHTML: (text) => text, // only for arena.fragment
        createScriptURL: (url) => {
          if (/^(data\/)[a-z]\d{5}\.js$/.test(url)) return url;
          if (url.startsWith(folder) && /^[a-z]+\.js$/.test(url.slice(folder.length))) return url;
          throw new TypeError(`not a script of this site: ${url}`);
        },
      })
    : { createHTML: (text) => text, createScriptURL: (url) => url };

  /** @type {(name: string) => Promise<Event>} */
  const loadFile = (name) => new Promise((resolve, reject) => {
    const file = name.endsWith(".css")
      ? arena.element("link", { rel: "stylesheet", href: folder + name })
      : Object.assign(arena.element("script"), { src: arena.policy.createScriptURL(folder + name) });
    file.onload = resolve;
    file.onerror = () => {
      delete scripts[name];
      reject(new Error(name));
    };
    document.head.append(file);
  });

  /** Load others of our files when they are needed, such as "hints.js" or "hints.css". */
  arena.load = (...names) => Promise.all(names.map((name) => (scripts[name] ??= loadFile(name))));

  /**
   * The JSON with which our server replies; fails, with a sentence for people, where it has none.
   * @param {RequestInit} [options]
   */
  arena.fetchJson = async (address, options) => {
    const reply = await fetch(address, options).catch(() => { throw new Error("The server cannot be reached. Try again."); });
    if (!reply.ok) throw new Error(`The server replied with an error (${reply.status}). Try again in a moment.`);
    return reply.json();
  };

  /** The element of this page with an id. */
  arena.byId = /** @type {Arena["byId"]} */ ((/** @type {string} */ id) => document.getElementById(id));

  /** The first element that selectors name, which is there. */
  arena.find = (/** @type {ParentNode} */ root, /** @type {string} */ selectors) => {
    const element = root.querySelector(selectors);
    if (!element) throw new Error(`nothing is ${selectors}`);
    return element;
  };

  /** @type {(element: Element, attributes: Attributes) => void} */
  const setAttributes = (element, attributes) => {
    for (const [key, value] of Object.entries(attributes))
      if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : String(value));
  };

  /**
   * Build an element: arena.element("p", { class: "x" }, "text", child...). Text is text, never HTML.
   * @param attributes - those that are null, undefined or false are left out
   */
  arena.element = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    setAttributes(element, attributes);
    element.append(...children);
    return element;
  };

  /** Build an element of a picture: arena.svg("rect", { width: 3 }, child...). */
  arena.svg = (name, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    setAttributes(element, attributes);
    element.append(...children);
    return element;
  };

  /** Count things: "1 card", "2 cards". */
  arena.counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

  /**
   * The text of a line of a step.
   * @param line - a text or [MARK, text]
   */
  arena.plain = (line) => (Array.isArray(line) ? line[1] : line);

  /** Whether a key is not for the page: it belongs to a field or an open menu, or with Control, Alt or Meta to the browser. */
  arena.isKeyOfControl = (event) =>
    event.ctrlKey || event.altKey || event.metaKey || event.isComposing ||
    event.target.closest("select, textarea, input:not([type=range])") !== null ||
    document.querySelector(":popover-open, dialog[open]") !== null;

  /** What this browser has stored under a name; a browser may allow to store nothing. */
  arena.recall = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };

  /** Have this browser store a text under a name. */
  arena.remember = (name, text) => {
    try {
      localStorage.setItem(name, text);
    } catch {
      // it holds for this page
    }
  };

  // Times are those of the reader's own clock; without scripts they are in UTC, as in their titles
  const dates = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
  /** @type {(root: ParentNode) => void} */
  const showLocalTimes = (root) => {
    /** @type {NodeListOf<HTMLTimeElement>} */
    const times = root.querySelectorAll("time[datetime]");
    for (const time of times) {
      time.title = time.textContent ?? "";
      time.textContent = dates.format(new Date(time.dateTime));
    }
  };

  /** The nodes of a fragment that our own server has made; whatever a stranger wrote is text in it. */
  arena.fragment = (text) => {
    const { body } = new DOMParser().parseFromString(arena.policy.createHTML(text), "text/html");
    showLocalTimes(body);
    return [...body.childNodes];
  };

  // On a telephone the ways between the pages are one row that is pushed sideways: where one is comes into view
  const showWhereOneIs = () => {
    const here = document.querySelector(".top [aria-current]");
    const row = here?.parentElement;
    if (row) row.scrollLeft = here.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
  };

  document.addEventListener("DOMContentLoaded", () => {
    showLocalTimes(document);
    showWhereOneIs();
  });
})();
