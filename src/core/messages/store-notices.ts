import type { SentenceTable } from './coded-message.ts';

/** Notices about the store of a daemon. */
export interface StoreNoticeParams {
  audit_rows_lost: {
    readonly fromSeq: number;
    readonly toSeq: number;
    /** In ISO 8601, UTC. */
    readonly found: string;
    readonly what: 'missing' | 'replaced';
  };
  restore_not_finished: {
    readonly backup: string;
    /** In ISO 8601, UTC. */
    readonly begun: string;
  };
  store_damaged: {
    /** Tables with damaged pages, as far as they are known. */
    readonly tables: readonly string[];
    /** The newest backup. */
    readonly backup?: string;
  };
}

export const STORE_NOTICE_SENTENCES: SentenceTable<StoreNoticeParams> = {
  audit_rows_lost: ({ fromSeq, toSeq, found, what }) => {
    const rows = fromSeq === toSeq ? `Row ${fromSeq}` : `Rows ${fromSeq} to ${toSeq}`;
    const how =
      what === 'missing'
        ? `${rows} of the audit log ${fromSeq === toSeq ? 'is' : 'are'} missing, with what else was stored then`
        : `${rows} of the audit log is not the one that was written; the database was replaced by another`;
    return `${how} (found on ${found.slice(0, 10)}). Details: exai audit verify. A backup may have the rows: exai restore <file>`;
  },
  restore_not_finished: ({ backup, begun }) =>
    `The restore that began on ${begun.slice(0, 10)} at ${begun.slice(11, 16)} UTC was interrupted before it changed anything. The data is that from before it. Run it again: exai stop, then exai restore ${backup}`,
  store_damaged: ({ tables, backup }) => {
    const where = tables.length === 0 ? '' : ` in ${tables.join(', ')}`;
    const fix =
      backup === undefined
        ? 'There is no backup. Save what can be read: exai stop, then exai backup --salvage, then restore that file'
        : `Restore the newest backup: exai stop, then exai restore ${backup}. What is newer and can be read: exai backup --salvage`;
    return `The database has damaged pages${where}; calls that read them fail. ${fix}`;
  },
};
