// A seat at a table, and the page of who watches: steps come by a stream, answers go by requests.
"use strict";
(() => {
  const page = document.getElementById("match");
  const at = (id) => document.getElementById(id);
  const playing = page.dataset.kind === "seat";
  const base = page.dataset.base;
  const AGAIN = 3000; // milliseconds until a stream that was refused is asked for again
  const TRIES = 10; // times
  const SAID = [30, 10]; // seconds that are said aloud
  const CONFIRM = "arena-confirm"; // the settings in the browser's store
  const TIPS = "arena-tips";
  const SOUNDS = "arena-sounds";
  const UNREAD = 300; // milliseconds in which nobody can have read a question
  const CLOSED = "This table is closed";
  const LOST = "Connection lost: you can answer once it is back. Trying again…";
  const GONE = "The server no longer has this table, so the match ends here and does not count.";
  const UNREACHED = "The server cannot be reached. Try again.";
  const STOPPED = "The server has stopped. The match goes on here once it is back.";
  const LATE = "This question was closed before your answer came, so your answer does not count.";
  const GAP = 6; // pixels between the board and the dock
  const LAG = 10_000; // milliseconds that who watches is behind the match, at most
  const SHARE = 0.25; // of the time for an answer, for what led to the question
  const TOLD = 4; // lines above the hand
  const OWN = 500; // milliseconds after an answer in which nobody wants to skip what it brings
  const DEALT = 3; // cards that come at once are named by the game; more are a hand that was dealt, which is said aloud
  const HEARD = 20; // sentences that the region for screen readers keeps

  const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const seen = {frame: 0, old: 0, match: null, question: null, told: [], held: [], away: [], late: 0, over: false, tries: 0, answered: -OWN};
  const fresh = {lines: [], said: [], zones: {}, ask: false}; // what is not drawn yet
  const pace = new arena.Pace((steps) => { steps.forEach(step); draw(); });
  const board = arena.Board ? new arena.Board(at("board")) : null;
  const hand = playing && arena.Board ? new arena.Board(at("hand")) : null;
  if (board) {
    if (playing) board.own = () => []; // the own hand lies in the dock
    board.name = (seat) => (playing && seat === seen.match.seat ? "you" : seen.match.names[seat]);
    board.onresize = fit;
    addEventListener("resize", () => { if (playing) drawTold(); fit(); });
    if (playing) new ResizeObserver(() => requestAnimationFrame(fit)).observe(at("dock"));
  }
  let drawnHand = []; // cards of the own hand as it is drawn, as text
  let reading = null;
  let meant = null; // the question that stood when the last click began
  let picked = null; // the button of the answer that is to be confirmed
  let source = null;

  // --- the stream ---------------------------------------------------------------------------
  const EVENTS = {
    now: (data) => {
      if (seen.frame && seen.feed !== data.feed) return location.reload(); // the server was started again
      seen.late = Date.now() / 1000 - data.at;
      seen.old = data.frame;
      seen.feed = data.feed;
    },
    match: (data) => { seen.match = data; if (board && playing) board.seat = data.seat; },
    steps: (steps) => {
      if (seen.frame <= seen.old) for (const one of steps) one.old = true;
      pace.add(steps, within(steps));
    },
    no: (data) => { if (seen.question && seen.question.n === data.n) refused("Not allowed: " + data.why); },
    out: ({why, then, zones}) => pace.add([{t: [["lost", why + " " + then]], over: true, out: zones}], within([])),
    moved: () => { if (!playing) location.reload(); }, // other people sit down
    present: ({said, away, absent}) => {
      at("present").textContent = said;
      if (playing) at("absent").replaceChildren(...absent.map(replacing));
      seen.away = away;
      if (playing && seen.asked && !seen.question && !seen.over) at("asked").textContent = waitsFor();
    },
    again: ({said, address}) => {
      at("again").replaceChildren(said + " ", ...(address ? [arena.element("a", {href: address}, "Watch")] : []));
      for (const one of page.querySelectorAll(".then button")) one.hidden = address || one.id === "swap"; // whoever is there has chosen
    },
    end: (data) => { seen.over = true; if (!playing) at("skip").hidden = false; if (!data.more) source.close(); pace.add([{end: data, z: data.hands, over: true}], within([])); },
    bye: () => { source.close(); if (seen.over) return; lost(STOPPED); setTimeout(again, AGAIN); },
  };

  function open() {
    source = new EventSource(base + "/events?after=" + seen.frame);
    for (const [name, act] of Object.entries(EVENTS))
      source.addEventListener(name, (event) => {
        if (event.lastEventId) seen.frame = Number(event.lastEventId);
        act(JSON.parse(event.data));
      });
    source.addEventListener("open", () => { seen.tries = 0; lost(""); });
    source.addEventListener("error", () => {
      at("present").hidden = true;
      if (seen.over) return;
      lost(LOST);
      if (source.readyState === EventSource.CLOSED) again();
    });
  }

  // A stream that was refused: the server has no room for it, or knows nothing of this table any more
  async function again() {
    const page = await fetch(location.href, {method: "HEAD"}).catch(() => null);
    if (page) seen.tries += 1;
    if (seen.tries > TRIES || (page && page.status === 404)) gone(GONE);
    else if (!page) setTimeout(again, AGAIN);
    else setTimeout(open, AGAIN);
  }

  function gone(why) {
    source.close();
    lost(why);
    seen.over = seen.gone = true;
    closed(); // at once, whatever is still to be shown
    draw();
  }

  // Say that the connection is lost, and let nothing be answered until it is back and this is empty
  function lost(words) {
    at("connection").textContent = words;
    at("present").hidden = words !== ""; // nobody knows who is there
    if (playing) at("answers").disabled = words !== "";
  }

  // Within how many milliseconds steps are drawn: at once, if all was over before this page came
  function within(steps) {
    if (seen.frame <= seen.old) return 0;
    const allowed = steps.map(({ask}) => ask && ask.allowed).find(Number);
    return allowed ? 1000 * SHARE * allowed : playing && !seen.out ? Infinity : LAG;
  }

  function step(one) {
    const lines = (one.t || []).map((line) => Array.isArray(line) ? line : ["", line]);
    if (one.old && (!playing || one.closed_question)) fresh.said = []; // what was known before the last answer is no news
    fresh.lines.push(...lines);
    fresh.said.push(...lines.map(([, text]) => text.trim()));
    Object.assign(fresh.zones, one.z || {});
    hold(playing && !seen.watching && seen.match && one.z && one.z["hand" + seen.match.seat]);
    if (one.end) seen.end = one.end;
    if ("standing" in one) stand(one.standing);
    if (one.ask) { seen.question = {...one.ask, sent: false}; fresh.ask = true; return; }
    if (one.left) seen.out = true; // the others play on, and each of them may have to answer first
    if (one.out) watch(one.out);
    if (seen.question && (one.over || one.left || one.closed_question === seen.question.n)) closed();
    if (seen.asked) seen.told.push(...lines.filter(([mark]) => mark !== "heading"));
  }

  const listCards = (zone) => ((zone && zone.cards) || []).filter((_, index) => !(zone.lost || []).includes(index)).map(String);

  // Say which cards the own hand has, where it was dealt
  function hold(zone) {
    if (!zone) return;
    const cards = listCards(zone), dealt = cards.filter((card) => !seen.held.includes(card)).length > DEALT;
    if (dealt) fresh.said.push(`You hold ${cards.map((card) => arena.face(card, zone).name).join(", ")}.`);
    seen.held = cards;
  }

  // From now on the board is that of who watches, without what only this seat was shown
  function watch(zones) {
    const own = [...board.zones.keys(), ...hand.zones.keys(), ...Object.keys(fresh.zones)];
    seen.out = seen.watching = true;
    fresh.zones = {...Object.fromEntries(own.map((key) => [key, null])), ...zones};
    hand.show({});
  }

  function closed() { seen.question = null; seen.told = []; fresh.ask = seen.asked = true; }

  // Sounds are loaded once somebody asks for them
  function sound(name) {
    if (playing && at("sounds").checked) arena.load("sounds.js").then(() => arena.playSound(name), () => {});
  }

  function draw() {
    if (drawBoard()) sound("card");
    drawLog();
    sayNews();
    const early = !seen.question && !seen.asked && at("lines").children.length; // others were asked first
    if (fresh.ask && seen.question) sound("turn");
    if (playing && (fresh.ask || early)) { fresh.ask = false; ask(seen.question); }
    else if (playing && seen.asked && !seen.question) wait();
    if (playing) drawTold(); // beside the button for a hint, if there is one
    if (!playing) at("turn").textContent = seen.gone ? CLOSED : at("lines").children.length ? "In play" : "Waiting for the players";
    if (seen.end) { ended(seen.end); seen.end = null; }
    fit();
  }

  // What lies on the table is seen above the dock, or beside it, without scrolling
  function fit() {
    const box = at("board").getBoundingClientRect(), dock = playing && at("dock").getBoundingClientRect();
    const below = dock && dock.left < box.right ? dock.height : 0, room = innerHeight - box.top - scrollY;
    if (page.classList.contains("over") || (dock && getComputedStyle(at("dock")).position === "static")) return board.fit(Infinity);
    page.style.setProperty("--room", `${room}px`); // for the log beside it
    board.fit(room - below - GAP, !playing);
  }

  // Return whether a card was laid on the table
  function drawBoard() {
    const size = ({cards = [], hidden = 0} = {}) => cards.length + hidden;
    const own = {}, others = {};
    for (const [key, zone] of Object.entries(fresh.zones)) {
      const mine = playing && !seen.watching && seen.match && key === "hand" + seen.match.seat;
      (mine && !seen.end ? own : others)[key] = mine && zone ? {...zone, title: "You"} : zone; // at the end it lies open with the others
      if (mine) drawnHand = listCards(zone);
    }
    if (hand && seen.end) for (const [key, zone] of hand.zones) others[key] ??= zone; // what it was before the end, too
    fresh.zones = {};
    const laid = board && Object.entries(others).some(([key, zone]) => zone && zone.kind !== "hand" && size(zone) > size(board.zones.get(key)));
    if (board && Object.keys(others).length) board.apply(others);
    if (hand && Object.keys(own).length) hand.apply(own);
    return laid;
  }

  function drawLog() {
    if (!fresh.lines.length) return;
    for (const [mark, text] of fresh.lines)
      if (text.trim()) at("lines").append(arena.element("li", {class: mark || null}, ...arena.sentence(text)));
    fresh.lines = [];
    at("log").scrollTop = at("log").scrollHeight;
  }

  // Say aloud what happened, once and in order, then the question: all in one region, so that nothing cuts it off
  function sayNews() {
    const title = fresh.ask && seen.question ? seen.question.title : "";
    say(...fresh.said.filter((text) => !title.includes(text)), title && tip(), title);
    fresh.said = [];
  }

  // What the game tells a beginner at the open question
  function tip() {
    return (playing && at("tips") && at("tips").checked && seen.question && seen.question.guide) || "";
  }

  function say(...sentences) {
    at("say").append(...sentences.filter(Boolean).map((text) => arena.element("p", {}, arena.spell(text))));
    while (at("say").children.length > HEARD) at("say").firstChild.remove();
  }

  // A tip, and what came of the last answer, where the log is out of sight: as many of the last sentences as there is room for
  function drawTold() {
    const box = at("told"), {title = ""} = seen.question || {};
    const shown = [title, ...[...board.zones.values()].map(({text}) => text)].join(" ");
    const news = seen.told.filter(([, text]) => !shown.includes(text.trim())), tips = [["tip", tip()]].filter(([, text]) => text);
    const told = [...tips, ...news].slice(-TOLD);
    do {
      box.classList.toggle("cut", told.length > 1);
      box.replaceChildren(...told.flatMap(([mark, text], index) => [index ? " " : "", arena.element("span", {class: mark || null}, ...arena.sentence(text.trim()))]));
    } while (box.scrollHeight > box.clientHeight && told.shift() && told.length);
  }

  // --- the question -------------------------------------------------------------------------
  function ask(question) {
    if (at("hint")) {
      at("hint").hidden = !question;
      at("hint").disabled = false;
      at("hinted").replaceChildren();
    }
    at("no").textContent = "";
    at("controls").replaceChildren();
    picked = null;
    if (hand) hand.choose(null);
    page.classList.toggle("asked-now", Boolean(question));
    at("dock").classList.toggle("sent", Boolean(question && question.sent));
    at("dock").classList.toggle("unread", Boolean(question));
    clearTimeout(reading);
    reading = setTimeout(() => at("dock").classList.remove("unread"), UNREAD);
    tick();
    if (!question) {
      wait();
      keepFocus();
      document.title = document.title.replace(/^● /, "");
      return;
    }
    at("asked").textContent = question.title;
    at("turn").textContent = "Your turn";
    if (!document.title.startsWith("● ")) document.title = "● " + document.title;
    keepFocus();
    const form = ["one", "some", "text"].find((kind) => kind in question.options) || "text";
    ({one: oneOf, some: someOf, text: line})[form](question);
    at("controls").append(...Object.entries(question.closed_answers).map(closedChoice), arena.element("p", {class: "stands"}, ...question.standing_answers.map((label) => standing(question, label))));
    if (confirms() && ("one" in question.options || question.standing_answers.length)) {
      at("controls").append(arena.element("p", {class: "confirming"}, button("Confirm", () => picked.click(), "primary"), button("Take back", unpick)));
      confirming("");
    }
  }

  // The question has the focus, unless the person is elsewhere on the page: never nothing, and never what is gone
  function keepFocus() {
    if (document.activeElement === document.body || at("answers").contains(document.activeElement)) at("asked").focus({preventScroll: true});
  }

  // Say what is waited for, where nothing is asked
  function wait() {
    const ending = seen.over && !seen.gone && !page.classList.contains("over"); // the end waits for what led to it
    const over = seen.gone ? CLOSED : seen.over && !ending ? "The match is over" : null;
    at("asked").textContent = ending ? "This is how the match ends" : over || waitsFor();
    at("turn").textContent = over || (seen.out ? "Watching" : "Waiting");
    if (seen.out) {
      at("leave").hidden = true;
      at("controls").replaceChildren(page.querySelector('.then a[href$="/play"]').cloneNode(true));
    } else if (ending && !at("controls").children.length)
      at("controls").append(button("Skip to the end", () => pace.skip(), "primary"));
  }

  // An answer that stands is given for the person, who can take it back at any time.
  function stand(label) {
    at("standing").hidden = !label;
    at("standing").firstChild.textContent = label;
  }

  // Options that are cards of the own hand become buttons there, and the others below: those with an explanation, too.
  // Numbers are cards only where all numbers are in the hand, since a number may be something else.
  function offer(options, labels, act, about = []) {
    const inHand = (option) => hand && drawnHand.includes(String(option));
    const all = options.every((option) => typeof option !== "number" || inHand(option));
    const cards = options.filter((option, index) => inHand(option) && !about[index] && (all || typeof option === "string"));
    if (cards.length) hand.choose(cards, act);
    const below = options.map((option, index) => ({option, label: labels[index], about: about[index]})).filter(({option}) => !cards.includes(option));
    at("controls").append(...groupAlike(below).map((group) => group.length > 1 ? several(group, act) : choice(group[0], act)));
  }

  // Options that do the same to one player or another: they begin with the same word, and have one explanation
  function groupAlike(choices) {
    const groups = [], verb = ({label}) => label.split(" ", 1)[0];
    for (const one of choices) {
      const [[other] = []] = groups.slice(-1);
      if (other && one.about && one.about === other.about && verb(one) === verb(other)) groups.at(-1).push(one);
      else groups.push([one]);
    }
    return groups;
  }

  // What they do stands once, before a button for each player
  function several(group, act) {
    const [{label, about}] = group, [verb] = label.split(" ", 1);
    const buttons = group.map((one) => {
      const made = choice({...one, label: one.label.slice(verb.length + 1), about: ""}, act);
      made.setAttribute("aria-label", one.label);
      return made;
    });
    return arena.element("div", {class: "several", role: "group", "aria-label": verb},
      arena.element("p", {}, arena.element("b", {}, verb), " ", arena.element("small", {}, about)), ...buttons);
  }

  // A button for an option; one that is written as a card is drawn as a card
  function choice({option, label, about}, act) {
    const {text, sign, suit} = arena.face(option);
    if (suit && [option, text + sign].includes(label)) return arena.card(option, {}, act);
    const made = button(label, () => act(option, made));
    made.dataset.card = option;
    if (about) made.append(" ", arena.element("small", {}, about));
    return made;
  }

  // What cannot be chosen now, and why
  function closedChoice([label, why]) {
    const made = button(label, null, "closed");
    made.disabled = true;
    made.append(" ", arena.element("small", {}, why));
    return made;
  }

  function oneOf(question) {
    const {one, labels, about} = question.options;
    offer(one, labels, (option, pressed) => pick(question, pressed, {answer: option}), about);
  }

  function standing(question, label) {
    const made = button(label, () => pick(question, made, {standing: label}));
    return made;
  }

  // Send an answer, or select it so that the next press of its button sends it
  function pick(question, pressed, answer) {
    if (!confirms() || pressed === picked) return send(question, answer);
    unpick();
    picked = pressed;
    picked.setAttribute("aria-pressed", "true");
    confirming(picked.getAttribute("aria-label") || picked.firstChild.textContent);
    picked.focus();
  }

  // Sometimes is: a card of several, which lie over each other
  function confirms() {
    const when = at("confirm").value;
    return when === "always" || (when === "sometimes" && at("hand").querySelectorAll("button").length > 1);
  }

  function unpick() {
    if (!picked || !seen.question || seen.question.sent) return;
    picked.removeAttribute("aria-pressed");
    picked.focus();
    picked = null;
    confirming("");
  }

  // The buttons are always there, so that nothing moves under a finger that presses twice
  function confirming(label) {
    const [confirm, back] = at("controls").querySelectorAll(".confirming button");
    confirm.disabled = back.disabled = !label;
    confirm.setAttribute("aria-label", `Confirm ${label}`);
  }

  function someOf(question) {
    const {some, labels, least, most, submits} = question.options, chosen = [];
    const count = arena.element("p", {class: "count"});
    const go = button("", () => send(question, {answer: chosen}), "primary");
    const told = () => {
      go.textContent = submits[Math.min(Math.max(chosen.length, least), most) - least];
      const none = least < most && !chosen.length;
      count.textContent = none ? `Select ${least} to ${most}` : `${chosen.length}${least === most ? ` of ${most}` : ""} selected`;
      go.disabled = chosen.length < least || chosen.length > most;
    };
    const toggle = (card, pressed) => { // there may be two of a card
      const on = pressed.getAttribute("aria-pressed") !== "true";
      if (on) chosen.push(card); else chosen.splice(chosen.indexOf(card), 1);
      pressed.setAttribute("aria-pressed", String(on));
      told();
      say(count.textContent);
    };
    offer(some, labels, toggle);
    for (const one of at("dock").querySelectorAll("#hand button, #controls button")) one.setAttribute("aria-pressed", "false");
    at("controls").append(count, go);
    told();
  }

  function line(question) {
    const {number, hint} = question.options, kind = number ? {type: "number", required: "", ...number} : {maxlength: 500};
    const input = arena.element("input", {id: "typed", ...kind, autocomplete: "off", value: question.default === null ? "" : String(question.default)});
    const label = arena.element("label", {for: "typed", class: hint ? null : "hidden"}, hint || question.title);
    const form = arena.element("form", {class: "line"}, label, input, arena.element("button", {class: "primary"}, "Submit"));
    form.addEventListener("submit", (event) => { event.preventDefault(); send(question, {line: input.value}); });
    at("controls").append(form);
    input.select();
  }

  function button(label, act, kind) {
    const made = arena.element("button", {type: "button", class: kind || null}, label);
    made.addEventListener("click", act);
    return made;
  }

  const replacing = ([name, label]) =>
    button(label, () => fetch(base + "/replace", {method: "POST", body: new URLSearchParams({name})}));

  const dockButtons = () => [...at("dock").querySelectorAll("button, input")];

  const post = (path) => fetch(base + path, {method: "POST"}).catch(() => note(UNREACHED));

  async function send(question, answer) {
    if (question !== seen.question || question.sent) return;
    busy(question, true);
    at("no").textContent = "";
    try {
      const headers = {"Content-Type": "application/json"};
      const reply = await fetch(base + "/answer", {method: "POST", headers, body: JSON.stringify({n: question.n, ...answer})});
      if (reply.status === 404) gone(GONE);
      else if (reply.status === 409) tooLate();
      else if (!reply.ok && question === seen.question) refused("The server did not accept the answer (" + reply.status + "). Try again.");
    } catch (problem) {
      if (question === seen.question) refused(UNREACHED);
    }
  }

  function busy(question, sent) {
    question.sent = sent;
    seen.answered = performance.now();
    at("dock").classList.toggle("sent", sent);
    at("asked").textContent = sent ? waitsFor() : question.title;
    keepFocus(); // the button that was pressed goes
  }

  function refused(why) {
    busy(seen.question, false);
    note(why);
  }

  // Say what is wrong; calmly, where nothing is
  function note(why, calm = false) {
    at("no").textContent = why;
    at("no").classList.toggle("calm", calm);
  }

  // Another window of this seat has answered, or the clock has: the next question may be open already.
  function tooLate() {
    seen.told.push(["lost", LATE]);
    fresh.lines.push(["lost", LATE]);
    fresh.said.push(LATE);
    draw();
  }

  // A click is meant for the question that stood when it began. The second click of a double click began with
  // the first one; and a question that has just appeared has not been read. Keys are no clicks: after each
  // answer the focus leaves the button, so that a key that is pressed twice does nothing.
  if (playing) {
    at("dock").addEventListener("mousedown", (event) => {
      if (event.detail < 2) meant = at("dock").classList.contains("unread") ? null : seen.question;
    });
    at("dock").addEventListener("click", (event) => {
      if (!event.detail || !event.target.closest("#hand button, #controls button")) return;
      if (seen.question && "some" in seen.question.options && !event.target.closest(".primary")) return; // selects, and sends nothing
      const early = meant !== seen.question;
      if (!early && !(picked && event.detail > 1)) return; // nor does a double click confirm
      event.stopPropagation();
      event.preventDefault();
      if (early) note("That was quick: the question had just come, so this click does not count.", true);
    }, true);
  }

  // The keys of the dock, as in a list: left and right go to the next button, a letter or a digit to the next that
  // begins with it, else to a card of that suit, else to the button at that place. Enter presses it.
  function seek(key) {
    const buttons = [...page.querySelectorAll("#hand button, #controls button:not(:disabled)")];
    const named = (one, word) => (one.getAttribute("aria-label") || (one.querySelector(".hidden") || one).textContent).trim().split(" ").at(word).toLowerCase().startsWith(key);
    const first = buttons.filter((one) => named(one, 0)), last = buttons.filter((one) => one.matches(".card") && named(one, -1));
    const nth = buttons.some((one) => one.matches(".card")) ? [] : buttons.slice(Number(key) - 1, Number(key)); // a digit is a card
    const all = [first, last, nth].find((some) => some.length) || [];
    return all[(all.indexOf(document.activeElement) + 1) % all.length];
  }
  if (playing) at("dock").addEventListener("keydown", (event) => {
    if (event.key === "Escape") unpick();
    if (event.key === "Enter" && event.repeat) event.preventDefault();
    const buttons = dockButtons().filter((one) => one.tagName === "BUTTON" && !one.disabled && one.offsetParent);
    if (event.target.tagName === "INPUT" || !buttons.length || event.ctrlKey || event.altKey || event.metaKey) return;
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key], where = buttons.indexOf(document.activeElement);
    const next = by
      ? buttons[((where < 0 ? Math.min(by, 0) : where + by) + buttons.length) % buttons.length]
      : /^[\p{L}\p{N}]$/u.test(event.key) && seek(event.key.toLowerCase());
    if (!next) return;
    event.preventDefault();
    next.focus();
  });

  // --- the pace -----------------------------------------------------------------------------
  // Whoever skips answers nothing: the question that this shows is one that nobody can have read yet.
  function skip(event) {
    const own = event.target.closest("a, button, input, select, summary") || (event.key && event.key !== " " && event.key !== "Enter");
    if (!pace.pausing || own || performance.now() - seen.answered < OWN) return; // a double click wants no more than a click
    event.preventDefault();
    event.stopPropagation();
    pace.skip();
  }
  for (const name of ["click", "keydown"]) document.addEventListener(name, skip, true);

  // --- the clock ----------------------------------------------------------------------------
  function tick() {
    const question = seen.question;
    if (!question || question.allowed === null) { at("clock").textContent = ""; return; }
    const left = Math.max(0, Math.ceil(question.at + question.allowed - (Date.now() / 1000 - seen.late)));
    at("clock").textContent = Math.floor(left / 60) + ":" + String(left % 60).padStart(2, "0") + " left";
    at("clock").classList.toggle("soon", left <= SAID[1]);
    for (const seconds of SAID)
      if (left === seconds && question.said !== seconds && question.allowed > seconds) {
        question.said = seconds;
        say(seconds + " seconds left");
      }
  }

  // Of several others only whoever's turn it is, on the board, is named: who is asked in secret may tell what is hidden
  function waitsFor() {
    if (seen.out) return "You are no longer in this match. You can watch how it ends.";
    const others = seen.match ? seen.match.names.filter((_, seat) => seat !== seen.match.seat) : [];
    const turns = board ? [...board.zones.values(), ...hand.zones.values()].filter(({turn}) => turn) : [];
    if (pace.pausing || turns.some(({of}) => of === seen.match.seat)) return "One moment"; // for what happened, or the next question
    const [name] = others.length === 1 ? others : turns.map(({title}) => title);
    return name ? name + (seen.away.includes(name) ? " is away" : " is thinking") : "The other players are thinking";
  }

  // --- the end ------------------------------------------------------------------------------
  // What a player held when the match ended, where all may see it
  function lastCards({you, name}) {
    const seat = you && playing ? seen.match.seat : seen.match.names.indexOf(name);
    const zones = board ? [...board.zones.values()].filter(({kind, of}) => kind === "hand" && of === seat) : [];
    return zones.flatMap((zone) => (zone.cards || []).map((card, index) => arena.chip(card, zone, (zone.lost || []).includes(index) ? "lost" : "")));
  }

  // A count with its unit, of which only the number is large
  function counts(count) {
    const [number, ...unit] = count.split(" ");
    return [number, " ", arena.element("small", {}, unit.join(" "))];
  }

  function ended(end) {
    at("ended").hidden = false;
    at("ended").classList.toggle("won", end.won === true);
    at("ended-title").textContent = end.said;
    const failed = end.rows.filter((row) => row.verdict).map((row) => `${row.you ? "you" : row.name} ${row.verdict === "left" ? "left" : "failed"}`);
    at("ended-why").textContent = end.end === "forfeited" ? `The match ended early, since ${failed.join(" and ")}.` : "";
    at("ended-rows").replaceChildren(...end.rows.map((row) => arena.element("tr", {class: row.you ? "you" : null},
      arena.element("td", {}, String(row.place)),
      arena.element("th", {scope: "row"}, (row.you ? "You" : row.name) + (row.hints ? ` · ${counted(row.hints, "hint")}` : "")),
      arena.element("td", {class: "score"}, ...(row.verdict ? [row.verdict] : counts(row.count))),
      ...(end.counted_over ? [arena.element("td", {class: "score"}, ...counts(row.total))] : []),
      arena.element("td", {class: "cards"}, ...lastCards(row)))));
    at("ended-over").hidden = !end.counted_over;
    at("ended-over").textContent = end.counted_over;
    if (playing) at("streak").textContent = end.record;
    if (typeof end.won === "boolean") sound(end.won ? "won" : "lost");
    if (playing && end.next_label) { // over after one: go on at once, with the seats swapped
      at("swap").textContent = end.next_label;
      at("swap").className = "primary";
      at("swap").previousElementSibling.hidden = true;
    }
    if (playing && end.rows.length)
      arena.load("review.js", "hints.css").then(() => arena.review.show(seen.match), () => lost("Load this page again to see more of the match."));
    at("turn").textContent = "The match is over";
    page.classList.add("over");
    board.reset();
    at("log").scrollTop = at("log").scrollHeight;
    at(playing ? "leave" : "skip").hidden = true;
    at("ended-title").focus();
  }

  if (playing) {
    at("confirm").value = arena.recall(CONFIRM) || (matchMedia("(pointer: coarse)").matches ? "sometimes" : "never");
    at("confirm").addEventListener("change", () => {
      if (seen.question && !seen.question.sent) ask(seen.question);
      at("confirm").focus();
      arena.remember(CONFIRM, at("confirm").value);
    });
    at("sounds").checked = arena.recall(SOUNDS) === "on";
    at("sounds").addEventListener("change", () => {
      arena.remember(SOUNDS, at("sounds").checked ? "on" : "off");
      sound("turn"); // so that one hears what one has chosen
    });
    if (at("tips")) {
      at("tips").checked = arena.recall(TIPS) !== "none";
      at("tips").addEventListener("change", () => {
        arena.remember(TIPS, at("tips").checked ? "first" : "none");
        drawTold();
      });
    }
    if (at("hint")) at("hint").addEventListener("click", async () => {
      const asked = seen.question;
      at("hint").disabled = true;
      await arena.load("hints.js", "hints.css").then(() => arena.hints.ask(base, asked, () => asked === seen.question), () => note(UNREACHED));
      if (asked === seen.question) at("hint").disabled = false;
    });
    at("standing").lastChild.addEventListener("click", () => post("/ask-again"));
    at("leave").addEventListener("click", (event) => {
      if (event.detail > 1) return; // a double click asks, too
      if (at("leave").dataset.sure) return post("/leave").then((reply) => { if (reply && reply.ok) at("menu").hidePopover(); });
      at("leave").dataset.sure = "yes";
      at("leave").textContent = "Leave and lose your seat?";
    });
    setInterval(tick, 250);
  }
  if (!playing) at("skip").addEventListener("click", () => pace.skip());
  // Who watches needs no stream while nobody looks: a browser has few connections for a host.
  if (!playing) document.addEventListener("visibilitychange", () => {
    if (seen.over) return;
    source.close();
    if (!document.hidden) open();
  });
  addEventListener("offline", () => { if (!seen.over) { source.close(); lost(LOST); } }); // so that the others are told
  addEventListener("online", () => { if (!seen.over) { source.close(); open(); } });
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => { if (event.persisted && !seen.over) open(); });
  if (playing) keepFocus();
  open();
})();
