export const chromiumPath = "/usr/bin/chromium";

/** Without these flags Chromium calls its maker, which a closed network refuses. */
export const chromiumArgs = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
