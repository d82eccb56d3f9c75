// The menu of a seat: whether answers are confirmed, sounds and tips, which this browser keeps; and the way out.

import { byId, findById } from "./elements.js";
import { loadSetting, saveSetting } from "./settings.js";

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
    const confirm = byId("confirm");
    const sounds = byId("sounds");
    const tips = findById("tips");
    confirm.value = loadSetting(CONFIRM_KEY) || (matchMedia("(pointer: coarse)").matches ? "sometimes" : "never");
    confirm.addEventListener("change", () => {
      onConfirm();
      confirm.focus();
      saveSetting(CONFIRM_KEY, confirm.value);
    });
    sounds.checked = loadSetting(SOUNDS_KEY) === "on";
    sounds.addEventListener("change", () => {
      saveSetting(SOUNDS_KEY, sounds.checked ? "on" : "off");
      this.playSound("turn"); // so that the choice is heard
    });
    byId("leave").addEventListener("click", (event) => {
      if (event.detail < 2) this.#askAndLeave(leave); // a double click asks, too
    });
    if (!tips) return; // this is not the first match of the game
    tips.checked = loadSetting(TIPS_KEY) !== "none";
    tips.addEventListener("change", () => {
      saveSetting(TIPS_KEY, tips.checked ? "first" : "none");
      onTips();
    });
  }

  /** Whether the game's tips for beginners are shown. */
  get wantsTips() {
    return Boolean(findById("tips")?.checked);
  }

  /**
   * Play a sound, if they are wanted: they are loaded once somebody asks for them.
   * @param {import("./sounds.js").Sound} name
   */
  playSound(name) {
    if (byId("sounds").checked) import("./sounds.js").then(({ playSound }) => playSound(name), () => {});
  }

  /** Offer no way out any more. */
  closeWayOut() {
    byId("leave").hidden = true;
  }

  /** @param {() => Promise<boolean>} leave */
  async #askAndLeave(leave) {
    const button = byId("leave");
    if (button.dataset.sure) {
      if (await leave()) byId("menu").hidePopover();
      return;
    }
    button.dataset.sure = "yes";
    button.textContent = "Leave and lose your seat?";
  }
}
