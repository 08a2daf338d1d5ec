import type { CallRecord } from '#core/stores/calls.ts';
import type { Store } from '#core/stores/store.ts';
import type { Id } from '#core/ids.ts';
import type { FakeClock } from '../fake-clock.ts';
import type { ListLog } from '../list-log.ts';

/** A store of one kind, and what its cases share. */
export interface StoreUnderTest {
  readonly kind: 'sqlite' | 'postgres';
  readonly store: Store;
  readonly clock: FakeClock;
  readonly log: ListLog;
  reopen(): Promise<void>;
  /** Time goes on, also the one by which leases count. */
  lapse(ms: number): Promise<void>;
  /** A second store on the same data, as a copied home or a removed lock would make. */
  openTwin(): Promise<Store>;
  /** The number of rows of a table, as the engine counts them. */
  countRows(table: string): Promise<number>;
  newConversation(principal?: string, title?: string): Promise<Id<'conv'>>;
  call(reqId: string, more?: Partial<CallRecord>): CallRecord;
}

export const say = (content: string) => ({ role: 'user' as const, tool: 'chat', content });
