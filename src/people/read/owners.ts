/** Who works on what waits or is parked, by destination. */
import type {
  FailureMark,
  FailureOwner,
  RecordedFailure,
  StandingFailure,
} from "../../job/contracts/failures.ts";
import { groupBy } from "../../group-items-by-key.ts";
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

export interface OwnersOfOrigin {
  /** Who works on all that waits or is parked there, one for each name. Empty: on a part of it nobody does. */
  readonly owners: readonly FailureOwner[];
  /** Who works on which of its kinds, if nobody works on others. */
  readonly ownersOfKinds: readonly (FailureOwner & { readonly failure: string })[];
}

export const nobody: OwnersOfOrigin = { owners: [], ownersOfKinds: [] };

/** Of a drain, by origin. */
export function toOwnersByOrigin(
  failures: readonly StandingFailure[],
  kinds: readonly Pick<RecordedFailure, "id" | "origin">[],
  owners: ReadonlyMap<string, FailureOwner>,
): ReadonlyMap<string, OwnersOfOrigin> {
  const originOf =
    owners.size === 0 ? new Map<string, string>() : new Map(kinds.map(({ id, origin }) => [id, origin]));
  const own = failures.filter(({ id, waiting, parked }) => originOf.has(id) && waiting + parked > 0);
  return new Map(
    [...groupBy(own, ({ id }) => originOf.get(id) ?? "")].map(([origin, some]): [string, OwnersOfOrigin] => {
      const taken = some.flatMap(({ id }) => {
        const owner = owners.get(id);
        return owner === undefined ? [] : [{ ...owner, failure: id }];
      });
      if (taken.length < some.length) return [origin, { owners: [], ownersOfKinds: taken }];
      const byName = new Map(taken.map(({ name, at }) => [name, { name, at }]));
      return [origin, { owners: [...byName.values()], ownersOfKinds: [] }];
    }),
  );
}
