import { RedriverError } from "../../ports/errors.ts";
import type { FailureView } from "../../redrive/failures/failure-views.ts";

/** Those with this id: one for each source that has met it. Throws `command-misused` if there is none. */
export function chooseFailures(views: readonly FailureView[], id: string): readonly FailureView[] {
  const found = views.filter((one) => one.id === id);
  if (found.length > 0) return found;
  throw unknownFailure(id);
}

export function unknownFailure(id: string): RedriverError {
  return new RedriverError(
    "command-misused",
    `no kind of failure has the id ${JSON.stringify(id)}; redriver failures --all lists all`,
  );
}
