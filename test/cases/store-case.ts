import { afterAll, beforeAll, describe } from 'vitest';
import type { Id } from '#core/ids.ts';
import type { Store } from '#core/stores/store.ts';
import { openStore } from '#store/open-store.ts';
import { countRows } from '../count-rows.ts';
import { keysInMemory } from '../audit-keys-in-memory.ts';
import { callRecord } from '../fixtures/store-content.ts';
import { meddle } from '../old-store.ts';
import { makeStoreHome, type Kind, type StoreHome } from '../stores.ts';
import { conversationWritesCases } from './conversation-writes-case.ts';
import { conversationsCases } from './conversations-case.ts';
import { fileIndexCases } from './file-index-case.ts';
import { fileIndexVectorCases } from './file-index-vectors-case.ts';
import { filesCases } from './files-case.ts';
import { jobsCases } from './jobs-case.ts';
import { jobsRandomCases } from './jobs-random-case.ts';
import { lifetimeCases } from './lifetime-case.ts';
import { recordsCases } from './records-case.ts';
import { registersCases } from './registers-case.ts';
import { pagesCases } from './pages-case.ts';
import { responsesCases } from './responses-case.ts';
import { resultsCases } from './results-case.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** What every store must do, whatever engine is below it. */
export function storeCases(kind: Kind): void {
  describe(`on ${kind}`, () => {
    let home: StoreHome;
    let store: Store;
    let made = 0;
    const auditKeys = keysInMemory();
    // The clock jumps while a commit runs, which is no silent disk.
    const limits = kind === 'sqlite' ? { statementMs: 1e9 } : {};
    const open = async () => {
      store = await openStore({ ...home, ...limits, writerId: 'writer_a', auditKeys });
    };

    beforeAll(async () => {
      home = await makeStoreHome(kind);
      await open();
    });
    afterAll(async () => {
      await store.close();
      await home.remove();
    });

    const underTest: StoreUnderTest = {
      kind,
      get store() {
        return store;
      },
      get clock() {
        return home.clock;
      },
      get log() {
        return home.log;
      },
      openTwin: () => openStore({ ...home, ...limits, writerId: 'writer_a', auditKeys }),
      async reopen() {
        await store.close().catch(() => undefined);
        await open();
      },
      async lapse(ms) {
        home.clock.advance(ms);
        // The server's clock cannot be set: the leases become older instead. The rows are locked in
        // one order, because two that lapse at once would wait for each other.
        if (kind === 'postgres')
          await meddle(
            home,
            `with leased as (select id from jobs where lease_until > 0 order by id for update)
             update jobs set lease_until = lease_until - ${ms} where id in (select id from leased)`,
          );
      },
      countRows: (table) => countRows(home, table),
      async newConversation(principal = 'ann', title = 'A title') {
        const id: Id<'conv'> = `conv_${String(++made).padStart(4, '0')}`;
        await store.conversations.create({ id, principal, title });
        return id;
      },
      call: (reqId, more = {}) => ({ ...callRecord(reqId, home.clock.now()), ...more }),
    };

    conversationsCases(underTest);
    conversationWritesCases(underTest);
    recordsCases(underTest);
    registersCases(underTest);
    jobsCases(underTest);
    jobsRandomCases(underTest);
    resultsCases(underTest);
    responsesCases(underTest);
    pagesCases(underTest);
    filesCases(underTest);
    fileIndexCases(underTest);
    fileIndexVectorCases(underTest);
    lifetimeCases(underTest);
  });
}
