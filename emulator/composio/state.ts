import { createHash } from 'node:crypto';
import type { Dictionary } from '../is-object.ts';
import type { Ask } from '../vendor.ts';
import type { Sandbox } from './sandboxes.ts';
import type { ComposioSwitches } from './switches.ts';
import { createCatalogue, withChanges, type Catalogue } from './toolkits.ts';

export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly config: Dictionary;
  readonly offloadThreshold: number;
  /** The toolkits that it may use; undefined for all. */
  readonly enabled: readonly string[] | undefined;
  readonly disabled: readonly string[];
  /** Of the remote workbench. */
  readonly workbench: Sandbox;
  isGone: boolean;
}

export interface Account {
  readonly id: string;
  readonly userId: string;
  readonly toolkit: string;
  status: 'INITIATED' | 'ACTIVE';
  readonly linkToken: string;
  readonly createdAt: string;
}

export interface StoredFile {
  readonly key: string;
  readonly toolkit: string;
  readonly tool: string;
  readonly filename: string;
  readonly mimetype: string;
  readonly md5: string;
  readonly expiresAtMs: number;
  data: Buffer | undefined;
}

/** What a tool did outside: mails that were sent, messages, issues, pages. */
export interface Effect {
  readonly tool: string;
  readonly args: Dictionary;
}

export interface ComposioState {
  readonly switches: ComposioSwitches;
  readonly sessions: Map<string, Session>;
  readonly accounts: Map<string, Account>;
  readonly files: Map<string, StoredFile>;
  /** Of the code interpreter, which are others than the workbenches. */
  readonly sandboxes: Map<string, Sandbox>;
  readonly effects: Effect[];
  catalogue(): Catalogue;
  newId(prefix: string): string;
  reset(): void;
}

export function createState(switches: ComposioSwitches): ComposioState {
  let made = 0;
  let catalogue = createCatalogue(0);
  let further = 0;
  const state: ComposioState = {
    switches,
    sessions: new Map(),
    accounts: new Map(),
    files: new Map(),
    sandboxes: new Map(),
    effects: [],
    catalogue() {
      if (switches.furtherTools !== further) {
        further = switches.furtherTools;
        catalogue = createCatalogue(further);
      }
      return withChanges(catalogue, switches);
    },
    newId(prefix) {
      made += 1;
      return `${prefix}${createHash('sha256').update(`${prefix}${made}`).digest('hex').slice(0, 12)}`;
    },
    reset() {
      for (const map of [state.sessions, state.accounts, state.files, state.sandboxes]) map.clear();
      state.effects.length = 0;
      made = 0;
    },
  };
  return state;
}

/** The account of a user for a toolkit; those of the switch `connected` are there from the start. */
export function accountOf(
  state: ComposioState,
  userId: string,
  toolkit: string,
): Account | undefined {
  const own = [...state.accounts.values()].filter(
    (one) => one.userId === userId && one.toolkit === toolkit,
  );
  const found = own.find(({ status }) => status === 'ACTIVE') ?? own.at(-1);
  const connected = state.switches.connected.split(',').map((name) => name.trim());
  if (found || !connected.includes(toolkit)) return found;
  return addAccount(state, { userId, toolkit, status: 'ACTIVE' });
}

export function addAccount(
  state: ComposioState,
  about: Pick<Account, 'userId' | 'toolkit' | 'status'>,
): Account {
  const account: Account = {
    ...about,
    id: state.newId('ca_'),
    linkToken: state.newId('lk_'),
    createdAt: '2026-11-15T00:00:00.000Z',
  };
  state.accounts.set(account.id, account);
  return account;
}

/** The address of the emulator, as the client knows it. */
export function baseOf(ask: Ask): string {
  return `http://${ask.headers['host'] ?? 'localhost'}/composio`;
}

export const linkUrl = (ask: Ask, { linkToken }: Account): string =>
  `${baseOf(ask)}/link/${linkToken}`;
