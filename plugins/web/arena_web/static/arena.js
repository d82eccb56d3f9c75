// What all pages share. The page's policy allows no script but our own files, and no HTML made of
// text but by the one Trusted Types policy here.
"use strict";
const arena = {};
const folder = document.currentScript.src.replace(/[^/]*$/, ""); // of our files

arena.policy = window.trustedTypes
  ? trustedTypes.createPolicy("arena", {
      createHTML: (text) => text, // only fragments of our own server, see arena.fragment
      createScriptURL: (url) => {
        if (/^(data\/)[a-z]\d{5}\.js$/.test(url)) return url;
        if (url.startsWith(folder) && /^[a-z]+\.js$/.test(url.slice(folder.length))) return url;
        throw new TypeError("not a script of this site: " + url);
      },
    })
  : { createHTML: (text) => text, createScriptURL: (url) => url };

// Times are those of the reader's own clock; without scripts they are in UTC, as in their titles
const clock = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
const showLocalTimes = (root) => {
  for (const time of root.querySelectorAll("time[datetime]")) {
    time.title = time.textContent;
    time.textContent = clock.format(new Date(time.dateTime));
  }
};
document.addEventListener("DOMContentLoaded", () => showLocalTimes(document));

// On a telephone the ways between the pages are one row that is pushed sideways: where one is comes into view
document.addEventListener("DOMContentLoaded", () => {
  const here = document.querySelector(".top [aria-current]");
  if (here) here.parentElement.scrollLeft = here.offsetLeft - (here.parentElement.clientWidth - here.offsetWidth) / 2;
});

// Load others of our files, such as "hints.js" or "hints.css", when they are needed; a promise
arena.load = (...names) => Promise.all(names.map((name) => (loaded[name] = loaded[name] || new Promise((done, failed) => {
  const style = name.endsWith(".css");
  const made = style ? arena.element("link", { rel: "stylesheet", href: folder + name }) : arena.element("script");
  made.onload = done;
  made.onerror = () => { delete loaded[name]; failed(new Error(name)); };
  if (!style) made.src = arena.policy.createScriptURL(folder + name);
  document.head.append(made);
}))));
const loaded = {};

// arena.element("p", {class: "x"}, "text", child...): text is text, never HTML
arena.element = (name, attributes, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  made.append(...children);
  return made;
};

// arena.svg("rect", {width: 3}, child...): the same in a picture
arena.svg = (name, attributes, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

// The text of a line of a step, which is a text or [MARK, text]
arena.plain = (line) => (Array.isArray(line) ? line[1] : line);

// What this browser has stored under a name, or null; a browser may allow to store nothing
arena.recall = (name) => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};
arena.remember = (name, text) => {
  try {
    localStorage.setItem(name, text);
  } catch {
    // it holds for this page
  }
};

// the nodes of a fragment that our own server has made; whatever a stranger wrote is text in it
arena.fragment = (text) => {
  const made = new DOMParser().parseFromString(arena.policy.createHTML(text), "text/html");
  showLocalTimes(made);
  return [...made.body.childNodes];
};
