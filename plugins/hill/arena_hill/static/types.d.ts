// What the pages of a hill have besides the elements and types of all pages; no page loads this file.

interface PageElements {
  sent: HTMLProgressElement;
  upload: HTMLFormElement;
}
