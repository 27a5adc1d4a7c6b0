/** What a person does with a plan, in the audit of each of its drains. An apply has entries of its own. */
import type { Core } from "../../../job/compose/build-core.ts";
import type { DrainName, PlanId } from "../../../job/contracts/ids.ts";
import { recordIntent } from "../../../job/write-audit.ts";

export interface PersonsOrder {
  readonly by: string;
  /** A person's reason; absent: a program gave none. */
  readonly why?: string | undefined;
}

/**
 * Before the act is done. A drain that the document has no longer has no audit to be in. Throws
 * `redis-unavailable`; then it must not be done.
 */
export async function auditPlanAct(
  { drains }: Pick<Core, "drains">,
  act: "plan-make" | "plan-stop" | "plan-remove",
  plan: { readonly id: PlanId; readonly drains: readonly DrainName[] },
  { by, why = "" }: PersonsOrder,
): Promise<void> {
  for (const name of plan.drains) {
    const drain = drains.get(name);
    if (drain === undefined) continue;
    const text = why === "" ? `plan ${plan.id}` : `plan ${plan.id}: ${why}`;
    await recordIntent({ ...drain.source, by }, act, [], { drain: name, why: text });
  }
}
