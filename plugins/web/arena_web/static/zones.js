// A zone of a board as elements: its title, what is written beside it, and the cards that lie in it.
"use strict";
(() => {
  const FEW_LAYERS = 5; // cards of a stack that are drawn each
  const MORE_CARDS = 4; // of a higher one, for which one more is drawn
  const MAX_LAYERS = 14; // that are drawn, at most
  const MAX_BACKS = 13; // cards of a hand that nobody sees, at most
  const MAX_CHIPS = 12; // that are drawn, at most
  const { element } = arena;

  const back = () => element("span", { class: "card back", "aria-hidden": "true" });
  const addFigure = (zone, at) => (zone.figures ? { ...zone, figure: zone.figures[at] } : zone);

  // Whether a card has won something, is out of the game, or has just come
  const findRemark = (zone, at) => ["won", "lost", "received"].find((remark) => zone[remark]?.includes(at)) || "";
  const addRemark = (card, remark) => {
    if (!remark) return card;
    card.classList.add(remark);
    const name = card.querySelector(".hidden"); // of a button
    if (name) name.append(`, ${remark}`);
    else card.setAttribute("aria-label", `${card.getAttribute("aria-label")}, ${remark}`);
    return card;
  };

  const buildStack = (hidden) => {
    const layers = Math.min(hidden, FEW_LAYERS + Math.ceil(Math.max(0, hidden - FEW_LAYERS) / MORE_CARDS), MAX_LAYERS);
    const cards = Array.from({ length: layers }, back);
    cards.forEach((card, at) => card.style.setProperty("--layer", String(at - (layers - 1) / 2)));
    return element("span", { class: "laid" },
      element("span", { class: hidden ? "stack" : "stack empty", "aria-hidden": "true" }, ...cards),
      element("span", { class: "by" }, hidden ? arena.counted(hidden, "card") : "empty"));
  };

  const buildChips = (chips) =>
    element("span", { class: "chips", "aria-hidden": "true" }, ...Array.from({ length: Math.min(chips, MAX_CHIPS) }, () => element("i", {})));

  const buildWords = (zone, { isCompact, isLine }) => {
    const { cards = [], hidden = 0, lost = [], chips = 0 } = zone, left = cards.length - lost.length + hidden;
    const isCounted = zone.kind === "hand" && (zone.cards || hidden) && !(lost.length && !left);
    const next = isLine && zone.turn && !zone.act ? ["next"] : []; // elsewhere it is drawn
    const text = [...next, ...(isCounted ? [arena.counted(left, "card")] : []), ...(zone.text ? [zone.text] : [])].join(" · ");
    const glued = zone.kind === "hand" && !isCompact ? text.replace(/(?<!·) /g, "\u00a0") : text; // a line ends behind a dot, or not at all
    return element("span", { class: "words" }, ...arena.sentence(glued), ...(chips ? [buildChips(chips)] : []));
  };

  /**
   * Words in rows and columns, such as a sheet of points.
   * @param {Zone} zone
   */
  const buildSheet = ({ title, rows: [heads, ...rows] = [] }) => {
    if (!heads) return element("div", { class: "lying" });
    const cell = (text, scope) => element(scope ? "th" : "td", { scope }, ...arena.sentence(text));
    return element("table", { class: "sheet", "aria-label": title },
      element("thead", {}, element("tr", {}, ...heads.map((text) => (text ? cell(text, "col") : element("td"))))),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((text, at) => cell(text, at ? null : "row"))))));
  };

  // The cards of a hand; those that are offered are buttons
  const buildHand = (zone, offered) => {
    const backs = Array.from({ length: Math.min(zone.hidden || 0, MAX_BACKS) }, () => element("span", { class: "slot closed" }, back()));
    const faces = (zone.cards || []).map((card, at) => {
      const remark = findRemark(zone, at), isFree = offered && (!remark || remark === "received") && offered.cards.has(String(card));
      return element("span", { class: "slot" }, addRemark(arena.card(card, addFigure(zone, at), isFree ? offered.onPress : null), remark));
    });
    return element("div", { class: "lying" }, ...backs, ...faces);
  };

  // A card in the middle, with who played it; one that did not lie there before is new
  const buildLaid = (card, zone, at, before, name) => {
    const seat = zone.seats ? zone.seats[at] : undefined, key = `${card}/${seat}`;
    const shown = addRemark(arena.card(card, addFigure(zone, at)), findRemark(zone, at));
    if (!before.delete(key)) shown.classList.add("new");
    const by = seat === undefined ? [] : [element("span", { class: "by" }, arena.avatar(seat), name(seat))];
    return element("span", { class: "laid", "data-held": key, "data-seat": seat ?? null }, shown, ...by);
  };

  // Small cards in a line, each behind the face of who laid it
  const buildLine = (zone, name) => element("div", { class: zone.seats ? "lying laid-by" : "lying" }, ...(zone.cards || []).map((card, at) => {
    const chip = arena.chip(card, zone, findRemark(zone, at)), seat = zone.seats?.[at];
    return seat === undefined ? chip : element("span", { title: name(seat) }, arena.avatar(seat), element("span", { class: "hidden" }, name(seat)), chip);
  }));

  const buildContent = (zone, before, { isLine, offered, name }) => {
    const { kind, cards = [], hidden = 0, text } = zone;
    if (kind === "row" || isLine) return buildLine(zone, name);
    if (kind === "hand") return buildHand(zone, offered);
    if (kind === "text") return buildSheet(zone);
    const laid = cards.map((card, at) => buildLaid(card, zone, at, before, name));
    if (hidden || kind === "pile") laid.push(buildStack(hidden));
    if (!laid.length && !text) laid.push(element("span", { class: "laid" }, element("span", { class: "stack empty" })));
    return element("div", { class: "lying" }, ...laid);
  };

  /** Draw a zone into its element. */
  arena.drawZone = (section, zone, look) => {
    const before = new Set([...section.querySelectorAll("[data-held]")].map((laid) => laid.dataset.held));
    section.className = `zone ${zone.kind}${zone.cards ? " seen" : ""}`;
    section.setAttribute("aria-label", zone.title);
    section.ariaCurrent = zone.turn ? "true" : null;
    const act = zone.act ? [element("span", { class: "act" }, ...arena.sentence(zone.act))] : [];
    const faces = zone.kind === "hand" && zone.of !== undefined ? [arena.avatar(zone.of)] : [];
    section.replaceChildren(
      element("p", { class: "title" }, ...faces, element("b", {}, zone.title), buildWords(zone, look), ...act),
      buildContent(zone, before, look),
    );
  };
})();
