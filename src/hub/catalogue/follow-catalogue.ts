import { CallError } from '#core/errors/call-error.ts';
import type { UpstreamTransport } from '#core/hub/upstream-config.ts';
import type { UpstreamInfo } from '#core/hub/upstream-state.ts';
import type { UpstreamTool } from '#core/hub/upstream.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import type { Connection } from '../connection/connection.ts';
import type { ServerCatalogue, CatalogueCache } from './catalogue-cache.ts';
import { listUpstreamTools } from './list-tools.ts';

interface FollowerOptions {
  readonly server: string;
  readonly transport: UpstreamTransport;
  /** Of the settings that the catalogue belongs to. */
  readonly identity: string;
  readonly cache: CatalogueCache;
  readonly limits: { readonly maxToolsPerServer: number };
  readonly clock: Clock;
  readonly log: Log;
  /** The tools have changed. */
  readonly onChange: () => void;
}

/** What is known of a server, kept up to date while it is connected. */
export interface CatalogueFollower {
  info(): UpstreamInfo | undefined;
  /** Undefined: it was never connected. */
  tools(): readonly UpstreamTool[] | undefined;
  /** Uses what is stored. */
  load(): Promise<void>;
  /** Lists the tools of a new connection in the background. */
  connected(connection: Connection): void;
  disconnected(connection: Connection): void;
  /** Lists the tools now. */
  refresh(connection: Connection): Promise<void>;
  /** The server says that its tools have changed. They are listed again, but not too often. */
  listChanged(): void;
  close(): void;
}

/** Tools that are being listed. */
interface Listing {
  readonly from: Connection;
  /** How often they had changed when it began. */
  readonly changes: number;
  readonly done: Promise<void>;
}

const LIST_TIMEOUT_MS = 30_000;
/** A server that changes its tools all the time is listed this often. */
const MIN_INTERVAL_MS = 5_000;

export function createCatalogueFollower(options: FollowerOptions): CatalogueFollower {
  const { server, identity, cache, clock, log } = options;
  let known: ServerCatalogue | undefined;
  /** Open ones, the newest last: callers may have their own, and those of others may end. */
  const connections = new Set<Connection>();
  let latest: Connection | undefined;
  let listing: Listing | undefined;
  /** How often the server said that its tools have changed. */
  let changes = 0;
  let timer: Timer | undefined;
  let listedAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  async function list(from: Connection): Promise<void> {
    listedAt = clock.monotonic();
    const { tools, leftOut } = await listUpstreamTools(from, {
      server,
      transport: options.transport,
      maxTools: options.limits.maxToolsPerServer,
      timeoutMs: LIST_TIMEOUT_MS,
    });
    if (isClosed) return;
    if (leftOut > 0) log.warn('upstream_tools_left_out', { left_out: leftOut });
    const before = known;
    known = { info: from.info, tools };
    if (before && isSame(before, known)) return;
    if (!before || !haveSameTools(before.tools, tools)) options.onChange();
    await cache.save(server, identity, known);
  }

  /** A list that was begun before the last change, or over another connection, does not do. */
  function refresh(from: Connection): Promise<void> {
    if (listing?.from === from && listing.changes === changes) return listing.done;
    const before = listing?.done.catch(() => undefined);
    const done = (before ? before.then(() => list(from)) : list(from)).finally(() => {
      if (listing === own) listing = undefined;
    });
    const own: Listing = { from, changes, done };
    listing = own;
    return done;
  }

  function refreshQuietly(): void {
    timer = undefined;
    const from = [...connections].at(-1);
    if (!from || isClosed) return;
    refresh(from).catch((thrown: unknown) => {
      // It has ended meanwhile, and another is open.
      if (!connections.has(from) && connections.size > 0) return refreshQuietly();
      log.warn('upstream_tools_not_listed', { error: CallError.from(thrown).toJSON() });
    });
  }

  return {
    info: () => latest?.info ?? known?.info,
    tools: () => known?.tools,
    async load() {
      const stored = await cache.load(server, identity);
      if (!stored || known) return;
      known = stored;
      options.onChange();
    },
    connected(opened) {
      latest = opened;
      connections.add(opened);
      refreshQuietly();
    },
    disconnected: (ended) => void connections.delete(ended),
    refresh,
    listChanged() {
      changes += 1;
      if (timer) return;
      const dueMs = listedAt + MIN_INTERVAL_MS - clock.monotonic();
      timer = clock.after(Math.max(0, dueMs), refreshQuietly);
    },
    close() {
      isClosed = true;
      timer?.stop();
    },
  };
}

function isSame(one: ServerCatalogue, other: ServerCatalogue): boolean {
  return (
    JSON.stringify(one.info) === JSON.stringify(other.info) && haveSameTools(one.tools, other.tools)
  );
}

function haveSameTools(one: readonly UpstreamTool[], other: readonly UpstreamTool[]): boolean {
  return (
    one.length === other.length &&
    one.every(
      ({ definition }, index) =>
        JSON.stringify(definition) === JSON.stringify(other[index]?.definition),
    )
  );
}
