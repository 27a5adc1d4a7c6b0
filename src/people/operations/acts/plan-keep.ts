import { z } from "zod";
import { requireNamesOrAll } from "../choose-drains.ts";
import { defineOperation } from "../define.ts";
import { planInput, toSelection } from "../plans/plan-fields.ts";

/** Listing calls the service, so a viewer may not. It changes nothing, so nobody has to say why. */
export const keep = defineOperation({
  words: "plan --keep",
  path: "/plans",
  title: "Make a plan",
  role: "operator",
  reasonOf: null,
  insteadOfReason: "a plan changes nothing: give --reason to redriver apply",
  about: "freeze what a pass would do in a plan that all replicas keep for a day; changes nothing",
  costs: "Lists the queue of each drain once, 100 records a call of the service.",
  needs: "rules",
  example: { drains: "orders", rules: "outage" },
  mayRefuse: true,
  isBegun: true,
  hasOwnCommand: true,
  page: ({ id }) => `/plans/${id}`,
  input: planInput,
  check: ({ drains = [], all = false }) => requireNamesOrAll(drains, all),
  row: z.object({ id: z.string() }),
  async *run({ core, plans, input, by }) {
    const id = await (await plans()).make({ ...toSelection(core, input), by });
    yield { said: `plan ${id} is being made; nothing is changed by it`, row: { id } };
  },
});
