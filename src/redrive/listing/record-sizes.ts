/** A mean over about so many of the last records: a large one among small ones does not make the pages after it small. */
const recordsRemembered = 400;

/** How large the records of a source are as they are listed, as far as this process has seen. */
export interface RecordSizes {
  /** Bytes a record; null: nothing is known. */
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
