// What is wider than the page is scrolled by the keyboard, too; the sidebar's captions have a level.
for (const wide of document.querySelectorAll(".highlight pre, .table-wrapper")) wide.tabIndex = 0;
for (const caption of document.querySelectorAll('.caption[role="heading"]')) caption.ariaLevel = 2;
