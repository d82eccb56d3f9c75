// What a person has chosen in the menu of a seat, which this browser keeps: whether answers are confirmed, sounds, tips.

const CONFIRM_KEY = "arena-confirm"; // the settings in the browser's store
const TIPS_KEY = "arena-tips";
const SOUNDS_KEY = "arena-sounds";

export class Settings {
  /**
   * @param {() => void} onConfirm - is called when answers are confirmed otherwise
   * @param {() => void} onTips - is called when tips are wanted or not
   */
  constructor(onConfirm, onTips) {
    const confirm = arena.byId("confirm"), sounds = arena.byId("sounds"), tips = arena.byId("tips");
    confirm.value = arena.recall(CONFIRM_KEY) || (matchMedia("(pointer: coarse)").matches ? "sometimes" : "never");
    confirm.addEventListener("change", () => {
      onConfirm();
      confirm.focus();
      arena.remember(CONFIRM_KEY, confirm.value);
    });
    sounds.checked = arena.recall(SOUNDS_KEY) === "on";
    sounds.addEventListener("change", () => {
      arena.remember(SOUNDS_KEY, sounds.checked ? "on" : "off");
      this.playSound("turn"); // so that one hears what one has chosen
    });
    if (!tips) return; // this is not the first match of the game
    tips.checked = arena.recall(TIPS_KEY) !== "none";
    tips.addEventListener("change", () => {
      arena.remember(TIPS_KEY, tips.checked ? "first" : "none");
      onTips();
    });
  }

  /** Whether the game's tips for beginners are shown. */
  get wantsTips() {
    return Boolean(arena.byId("tips") && arena.byId("tips").checked);
  }

  /**
   * Play a sound, if they are wanted: they are loaded once somebody asks for them.
   * @param {string} name - as `sounds.js` lists them
   */
  playSound(name) {
    if (arena.byId("sounds").checked) arena.load("sounds.js").then(() => arena.playSound(name), () => {});
  }
}
