// What our pages have besides any page, and what browsers have besides what TypeScript knows of them; no page loads this file.

/** The elements of pages that are more than any HTMLElement, by their ids. */
interface PageElements {
  answers: HTMLFieldSetElement;
  bot: HTMLSelectElement;
  confirm: HTMLSelectElement;
  hint: HTMLButtonElement;
  invitation: HTMLAnchorElement | null;
  leave: HTMLButtonElement;
  sounds: HTMLInputElement;
  tips: HTMLInputElement;
}

// Pages look only for elements of HTML
interface ParentNode {
  querySelector<K extends keyof HTMLElementTagNameMap>(selectors: K): HTMLElementTagNameMap[K] | null;
  querySelector<E extends Element = HTMLElement>(selectors: string): E | null;
  querySelectorAll<K extends keyof HTMLElementTagNameMap>(selectors: K): NodeListOf<HTMLElementTagNameMap[K]>;
  querySelectorAll<E extends Element = HTMLElement>(selectors: string): NodeListOf<E>;
}
interface UIEvent {
  readonly target: HTMLElement;
}
interface Array<T> { // of the browsers, which Debian's TypeScript does not know
  findLast(predicate: (value: T) => unknown): T | undefined;
}
interface HTMLElement {
  hidePopover(): void;
}
declare class DecompressionStream implements GenericTransformStream {
  constructor(format: "deflate-raw");
  readonly readable: ReadableStream;
  readonly writable: WritableStream;
}
interface Navigator {
  userActivation?: { isActive: boolean };
}
interface TrustedTypePolicy { // what it makes goes wherever a text goes
  createHTML(text: string): string;
  createScriptURL(url: string): string;
}
interface Window {
  trustedTypes?: { createPolicy<Rules extends Partial<TrustedTypePolicy>>(name: string, rules: Rules): Rules };
}
