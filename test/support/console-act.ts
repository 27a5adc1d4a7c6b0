import type { Page } from "playwright-core";

/** Opens the form of an act on this page of the console, fills it in and sends it. */
export async function act(page: Page, name: string, values: Readonly<Record<string, string>>): Promise<void> {
  const form = page.locator(`form[action$='/acts/${name}']`).first();
  const details = page.locator("details", { has: form }).first();
  if ((await details.count()) > 0 && (await details.getAttribute("open")) === null) {
    await details.locator("summary").first().click();
  }
  for (const [field, value] of Object.entries(values)) {
    await form.locator(`[name='${field}']`).first().fill(value);
  }
  await form.locator("button[type='submit']").click();
}
