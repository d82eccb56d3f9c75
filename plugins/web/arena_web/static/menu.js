// The menu of a seat: whether answers are confirmed, sounds and tips, which this browser keeps; and the way out.

const CONFIRM_KEY = "arena-confirm"; // the settings in the browser's store
const TIPS_KEY = "arena-tips";
const SOUNDS_KEY = "arena-sounds";

export class Menu {
  /**
   * @param {() => void} onConfirm - is called when answers are confirmed otherwise
   * @param {() => void} onTips - is called when tips are wanted or not
   * @param {() => Promise<boolean>} leave - leaves the table; whether that was done
   */
  constructor(onConfirm, onTips, leave) {
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
    arena.byId("leave").addEventListener("click", (event) => {
      if (event.detail < 2) this.#askAndLeave(leave); // a double click asks, too
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
    return Boolean(arena.byId("tips")?.checked);
  }

  /**
   * Play a sound, if they are wanted: they are loaded once somebody asks for them.
   * @param {Parameters<Arena["playSound"]>[0]} name
   */
  playSound(name) {
    if (arena.byId("sounds").checked) arena.load("sounds.js").then(() => arena.playSound(name), () => {});
  }

  /** Offer no way out any more. */
  closeWayOut() {
    arena.byId("leave").hidden = true;
  }

  /** @param {() => Promise<boolean>} leave */
  async #askAndLeave(leave) {
    const button = arena.byId("leave");
    if (button.dataset.sure) {
      if (await leave()) arena.byId("menu").hidePopover();
      return;
    }
    button.dataset.sure = "yes";
    button.textContent = "Leave and lose your seat?";
  }
}
