import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { ScanPolicy } from '#core/hub/finding.ts';
import { foldToolName } from '#core/hub/inner-tools.ts';
import type { UpstreamTransport } from '#core/hub/upstream-config.ts';
import type { UpstreamInfo } from '#core/hub/upstream-state.ts';
import type { UpstreamReview, UpstreamTool } from '#core/hub/upstream.ts';
import { commandFix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import type { Connection } from '../connection/connection.ts';
import { protocolError } from '../connection/rpc-client.ts';
import { hashList } from '../pins/hash-definition.ts';
import { quarantineError } from '../pins/quarantine-reason.ts';
import {
  hashTools,
  reviewTools,
  type ReviewRequest,
  type ToolReview,
  type ToolReviewDeps,
} from '../pins/review-tools.ts';
import type { ServerCatalogue, CatalogueCache } from './catalogue-cache.ts';
import { listUpstreamTools } from './list-tools.ts';
import { upstreamToolName } from './tool-name.ts';

interface FollowerOptions {
  readonly server: string;
  readonly transport: UpstreamTransport;
  /** Of the settings that the catalogue belongs to. */
  readonly identity: string;
  readonly cache: CatalogueCache;
  readonly pins: ToolReviewDeps;
  readonly scanPolicy: () => ScanPolicy;
  readonly additions?: ReviewRequest['additions'];
  readonly limits: { readonly maxToolsPerServer: number };
  readonly clock: Clock;
  readonly log: Log;
  /** The tools have changed, or which of them may be called. */
  readonly onChange: () => void;
}

/** What is known of a server, kept up to date while it is connected. */
export interface CatalogueFollower {
  info(): UpstreamInfo | undefined;
  /** Those that may be called. Undefined: it was never connected. */
  tools(): readonly UpstreamTool[] | undefined;
  review(): UpstreamReview;
  /** At least so many tools of the last list are left out. */
  leftOut(): number;
  /** Uses what is stored. */
  load(): Promise<void>;
  /** Lists the tools of a new connection in the background. */
  connected(connection: Connection): void;
  disconnected(connection: Connection): void;
  /** Lists the tools now. */
  refresh(connection: Connection): Promise<void>;
  /**
   * Whether a tool may be called over a connection: not before the tools that the server lists there
   * were compared with those that are pinned. Undefined: yes; otherwise it resolves, or rejects with
   * the reason.
   */
  clearance(connection: Connection, tool: string): Promise<void> | undefined;
  /**
   * After the clearance of a tool that calls others: refuses tools of the server that are not
   * approved among these names, however they are spelt.
   */
  requireInnerApproved(
    connection: Connection,
    outer: string,
    names: readonly string[] | 'unreadable',
  ): Promise<void> | undefined;
  /** The server says that its tools have changed. They are listed again, but not too often. */
  listChanged(): void;
  /** The owner decided, or the settings changed. */
  reconsider(): Promise<void>;
  close(): void;
}

/** The tools that a server listed over one connection. */
interface ConnectionList {
  readonly hashes: ReadonlyMap<string, string>;
  /** How often they had changed when the list began. */
  readonly changes: number;
}

/** Tools that are being listed. */
interface Listing {
  /** When it began; undefined: it waits for the one before it. */
  changes: number | undefined;
  readonly done: Promise<void>;
}

const LIST_TIMEOUT_MS = 30_000;
/** A server that changes its tools all the time is listed this often. */
const MIN_INTERVAL_MS = 5_000;
/** How often it is looked whether another daemon of the store was told to approve. */
const DECISION_CHECK_MS = 30_000;
/** After this time, the tools of a server that has more than it lists are listed again. */
const MAX_AGE_MS = 600_000;
const NOTHING: UpstreamReview = { quarantined: [], warned: [], missing: [] };

export function createCatalogueFollower(options: FollowerOptions): CatalogueFollower {
  const { server, identity, cache, clock, log } = options;
  let known: (ServerCatalogue & { readonly hashes: ReadonlyMap<string, string> }) | undefined;
  let review: ToolReview | undefined;
  /** Open ones, the newest last: callers may have their own, and those of others may end. */
  const connections = new Set<Connection>();
  let latest: Connection | undefined;
  /** One list is compared after the other. */
  let last: Promise<void> = Promise.resolve();
  const listings = new WeakMap<Connection, Listing>();
  const lists = new WeakMap<Connection, ConnectionList>();
  /** How often the server said that its tools have changed. */
  let changes = 0;
  let timer: Timer | undefined;
  let decisionTimer: Timer | undefined;
  let listedAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  let lastLeftOut = 0;

  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  async function list(from: Connection): Promise<void> {
    listedAt = clock.monotonic();
    const at = changes;
    const { tools, leftOut } = await listUpstreamTools(from, {
      server,
      transport: options.transport,
      maxTools: options.limits.maxToolsPerServer,
      timeoutMs: LIST_TIMEOUT_MS,
    });
    lastLeftOut = leftOut;
    if (leftOut > 0) log.warn('upstream_tools_left_out', { left_out: leftOut });
    const hashes = await hashTools(tools);
    await inTurn(async () => {
      if (isClosed) return;
      const before = known;
      const isSame = before !== undefined && hashList(before.hashes) === hashList(hashes);
      const next = { info: from.info, tools, hashes };
      if (!isSame || !review) await compare(next);
      known = next;
      lists.set(from, { hashes, changes: at });
      if (isSame && JSON.stringify(before.info) === JSON.stringify(from.info)) return;
      await cache.save(server, identity, known);
    });
  }

  /** Uses nothing of a list before it was compared with what is pinned. */
  async function compare(next: NonNullable<typeof known>): Promise<void> {
    const { tools, hashes } = next;
    const policy = options.scanPolicy();
    const before = review;
    const now = await reviewTools(
      { server, policy, additions: options.additions ?? 'quarantine', tools, hashes, log },
      options.pins,
    );
    if (isClosed) return;
    known = next;
    review = now;
    watchDecisions();
    if (!before || !isSameReview(before, now)) options.onChange();
  }

  function watchDecisions(): void {
    decisionTimer?.stop();
    decisionTimer = undefined;
    if (isClosed || !review?.quarantined.some(({ decision }) => decision === 'waiting')) return;
    decisionTimer = clock.after(DECISION_CHECK_MS, () => void reconsider().catch(warn));
  }

  function reconsider(): Promise<void> {
    return inTurn(async () => {
      if (known && !isClosed) await compare(known);
    }).finally(watchDecisions);
  }

  /** A list that was begun before the last change, or over another connection, does not do. */
  function refresh(from: Connection): Promise<void> {
    const running = listings.get(from);
    if (running && (running.changes ?? changes) === changes) return running.done;
    const begin = () => {
      own.changes = changes;
      return list(from);
    };
    const before = running?.done.catch(() => undefined);
    const done = (before ? before.then(begin) : list(from)).finally(() => {
      if (listings.get(from) === own) listings.delete(from);
    });
    const own: Listing = { changes: before ? undefined : changes, done };
    listings.set(from, own);
    return done;
  }

  const warn = (thrown: unknown) =>
    log.warn('upstream_tools_not_listed', { error: CallError.from(thrown).toJSON() });

  function refreshQuietly(): void {
    timer = undefined;
    const from = [...connections].at(-1);
    if (!from || isClosed) return;
    refresh(from).catch((thrown: unknown) => {
      // It has ended meanwhile, and another is open.
      if (!connections.has(from) && connections.size > 0) return refreshQuietly();
      warn(thrown);
    });
  }

  /** Refuses a tool whose definition on this connection is not the approved one. */
  function requireApproved(hashes: ConnectionList['hashes'], tool: string): void {
    const hash = hashes.get(tool);
    // A tool that is not listed has no definition that a caller could have read.
    if (hash === undefined || review?.approved.get(tool) === hash) return;
    const found = review?.quarantined.find(({ name }) => name === tool);
    throw quarantineError(server, tool, found);
  }

  /** Whether a list that is still current has no tool of these names that is not approved. */
  function requireInner(
    { hashes }: ConnectionList,
    outer: string,
    names: readonly string[] | 'unreadable',
  ): void {
    const isWaiting = ([tool, hash]: [string, string]) => review?.approved.get(tool) !== hash;
    const waiting = [...hashes].filter(isWaiting).map(([tool]) => tool);
    if (waiting.length === 0) return;
    if (names === 'unreadable') {
      const tool = upstreamToolName(server, outer);
      throw codedError('permission', reason('inner_tools_unreadable', { tool }), {
        field: 'arguments',
        fixes: [commandFix('exai pins list', 'see which of its tools wait for the owner')],
      });
    }
    const named = new Set(names.map(foldToolName));
    const refused = waiting.find((tool) => named.has(foldToolName(tool)));
    if (refused !== undefined) requireApproved(hashes, refused);
  }

  /** Relists a tool that the server lists only since now, so that it is compared like all others. */
  async function admit(from: Connection, tool: string): Promise<void> {
    await from.admit?.(tool, { timeoutMs: LIST_TIMEOUT_MS });
    changes += 1;
    await refresh(from);
    const hashes = lists.get(from)?.hashes;
    if (!hashes?.has(tool)) throw protocolError(server, 'does not list a tool that it describes');
    requireApproved(hashes, tool);
  }

  /** A server that never says that its tools have changed is listed now and then. */
  function refreshOld(from: Connection): void {
    if (!from.admit || clock.monotonic() - listedAt < MAX_AGE_MS) return;
    refresh(from).catch(warn);
  }

  async function clear(from: Connection, tool: string): Promise<void> {
    await refresh(from);
    // The server announced a change while it was listing.
    if (lists.get(from)?.changes !== changes) await refresh(from);
    const list = lists.get(from);
    if (!list) return;
    if (isUnlisted(from, list, tool)) await admit(from, tool);
    else requireApproved(list.hashes, tool);
  }

  async function clearInner(
    from: Connection,
    outer: string,
    names: readonly string[] | 'unreadable',
  ): Promise<void> {
    await clear(from, outer);
    const list = lists.get(from);
    if (list) requireInner(list, outer, names);
  }

  function isUnlisted(from: Connection, { hashes }: ConnectionList, tool: string): boolean {
    return from.admit !== undefined && !hashes.has(tool);
  }

  return {
    info: () => latest?.info ?? known?.info,
    tools: () => review?.tools,
    review: () => review ?? NOTHING,
    leftOut: () => lastLeftOut,
    async load() {
      const stored = await cache.load(server, identity);
      if (!stored) return;
      const hashes = await hashTools(stored.tools);
      await inTurn(async () => {
        if (!known) await compare({ ...stored, hashes });
      });
    },
    connected(opened) {
      latest = opened;
      connections.add(opened);
      refreshQuietly();
    },
    disconnected: (ended) => void connections.delete(ended),
    refresh,
    clearance(from, tool) {
      const list = lists.get(from);
      refreshOld(from);
      if (!list || list.changes !== changes) return clear(from, tool);
      if (isUnlisted(from, list, tool)) return admit(from, tool);
      requireApproved(list.hashes, tool);
      return undefined;
    },
    requireInnerApproved(from, outer, names) {
      const list = lists.get(from);
      if (list?.changes !== changes) return clearInner(from, outer, names);
      requireInner(list, outer, names);
      return undefined;
    },
    listChanged() {
      changes += 1;
      if (timer) return;
      const dueMs = listedAt + MIN_INTERVAL_MS - clock.monotonic();
      timer = clock.after(Math.max(0, dueMs), refreshQuietly);
    },
    reconsider,
    close() {
      isClosed = true;
      timer?.stop();
      decisionTimer?.stop();
    },
  };
}

function isSameReview(one: ToolReview, other: ToolReview): boolean {
  return (
    hashList(one.approved) === hashList(other.approved) &&
    JSON.stringify([one.quarantined, one.warned]) ===
      JSON.stringify([other.quarantined, other.warned])
  );
}
