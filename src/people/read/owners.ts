/** Who works on what waits or is parked, by destination. */
import type {
  FailureMark,
  FailureOwner,
  RecordedFailure,
  StandingFailure,
} from "../../job/contracts/failures.ts";
import { ownerOf } from "./failure-views.ts";

/** By kind. `drains`: kinds in each drain of the source. */
export function toOwners(
  marks: ReadonlyMap<string, Pick<FailureMark, "owner">>,
  drains: readonly (readonly StandingFailure[])[],
): ReadonlyMap<string, FailureOwner> {
  const owners = new Map<string, FailureOwner>();
  for (const [id, mark] of marks) {
    const own = drains.flatMap((failures) => failures.filter((one) => one.id === id));
    const owner = ownerOf(mark, own);
    if (owner !== null) owners.set(id, owner);
  }
  return owners;
}

/** Of a drain by origin, one for each name. None where nobody works on one of the kinds. */
export function toOwnersByOrigin(
  failures: readonly StandingFailure[],
  kinds: readonly Pick<RecordedFailure, "id" | "origin">[],
  owners: ReadonlyMap<string, FailureOwner>,
): ReadonlyMap<string, readonly FailureOwner[]> {
  const found = new Map<string, readonly FailureOwner[] | null>();
  const originOf = owners.size === 0 ? new Map() : new Map(kinds.map(({ id, origin }) => [id, origin]));
  for (const { id, waiting, parked } of failures) {
    const origin = originOf.get(id);
    if (origin === undefined || waiting + parked === 0) continue;
    const owner = owners.get(id);
    const others = found.get(origin);
    if (owner === undefined || others === null) found.set(origin, null);
    else if (!others?.some(({ name }) => name === owner.name)) found.set(origin, [...(others ?? []), owner]);
  }
  return new Map([...found].flatMap(([origin, own]) => (own === null ? [] : [[origin, own]])));
}
