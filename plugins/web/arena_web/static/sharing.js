// What can be shared: a telephone hands it to another program, elsewhere it is copied.

/**
 * Have a button share something.
 * @param {HTMLElement} button
 * @param {HTMLElement} place - where it stands, and is selected in a browser that allows no page to copy
 * @param {{url: string} | {text: string}} content
 * @param {string} label - of the button, where it does not copy
 */
export function offerSharing(button, place, content, label) {
  const canShare = "share" in navigator && matchMedia("(pointer: coarse)").matches;
  if (canShare) button.textContent = label;
  button.hidden = false;
  button.addEventListener("click", async () => {
    if (canShare) return navigator.share(content).catch(() => {});
    try {
      await navigator.clipboard.writeText("url" in content ? content.url : content.text);
      button.textContent = "Copied";
    } catch {
      getSelection()?.selectAllChildren(place);
    }
  });
}
