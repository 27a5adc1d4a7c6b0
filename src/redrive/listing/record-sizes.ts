/** The mean covers about this many recent records, so that one large record does not make the next pages small. */
const recordsRemembered = 400;

/** The mean size of a source's records in a listing, as this process has seen them. */
export interface RecordSizes {
  /** Bytes per record; null: not known yet. */
  mean(): number | null;
  note(records: number, bytes: number): void;
}

export function createRecordSizes(): RecordSizes {
  let records = 0;
  let bytes = 0;
  return {
    mean: () => (records === 0 ? null : bytes / records),
    note(moreRecords, moreBytes) {
      if (moreRecords === 0) return;
      records += moreRecords;
      bytes += moreBytes;
      if (records <= recordsRemembered) return;
      bytes *= recordsRemembered / records;
      records = recordsRemembered;
    },
  };
}
