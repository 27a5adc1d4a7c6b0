/** Every page of the console. */
import type { Page } from "../page.ts";
import { failuresPage } from "./failures.tsx";
import { nowPage } from "./now.tsx";

export const pages: readonly Page[] = [nowPage, failuresPage];
