import { CallError } from '#core/errors/call-error.ts';
import type { ScanPolicy } from '#core/hub/finding.ts';
import type { Upstream } from '#core/hub/upstream.ts';
import type { Json, JsonObject } from '#core/json/json.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import { isObject } from '#mcp/json-rpc.ts';
import { screenContent, type ScreenedContent } from '../scan/screen-content.ts';
import { listUpstreamContent, NO_CONTENT, type UpstreamContent } from './list-content.ts';

interface ContentFollowerOptions {
  readonly upstream: Upstream;
  /** Of the settings that the content belongs to. */
  readonly identity: string;
  readonly settings: SettingStore;
  readonly limits: { readonly maxToolsPerServer: number };
  readonly clock: Clock;
  readonly log: Log;
  readonly scanPolicy: () => ScanPolicy;
  readonly onChange: () => void;
}

/** The prompts and resources of a server, kept up to date while it is connected. */
export interface ContentFollower {
  /** Without what the scanner withholds. */
  content(): UpstreamContent;
  /** Whether a resource is withheld. */
  isWithheld(uri: string): boolean;
  /** The settings changed. */
  rescan(): void;
  close(): void;
}

/** A server that changes its lists all the time is listed this often. */
const MIN_INTERVAL_MS = 5_000;
const MAX_STORED_CHARS = 4_000_000;

export function followContent(options: ContentFollowerOptions): ContentFollower {
  const { upstream, identity, settings, clock } = options;
  const log = options.log.with({ server: upstream.name });
  const storedAs = `hub.content.${upstream.name}`;
  let known: UpstreamContent | undefined;
  let screened: ScreenedContent | undefined;
  let screenedWith: ScanPolicy | undefined;
  let isConnected = false;
  let listedAt = Number.NEGATIVE_INFINITY;
  let timer: Timer | undefined;
  let isClosed = false;

  async function list(): Promise<void> {
    timer = undefined;
    if (isClosed || upstream.state().is !== 'connected') return;
    listedAt = clock.monotonic();
    let isWhole = true;
    const next = await listUpstreamContent(
      upstream,
      options.limits.maxToolsPerServer,
      (list, thrown) => {
        isWhole = false;
        log.warn('upstream_content_not_listed', { list, error: CallError.from(thrown).toJSON() });
      },
    );
    const json = JSON.stringify(next);
    // After a failure, what was known before is better than nothing.
    if (isClosed || (!isWhole && known) || json === JSON.stringify(known)) return;
    await screen(next);
    if (json.length > MAX_STORED_CHARS) return settings.delete(storedAs);
    await settings.set(storedAs, { identity, content: next as unknown as Json });
  }

  function listSoon(): void {
    if (timer) return;
    const waitMs = Math.max(0, listedAt + MIN_INTERVAL_MS - clock.monotonic());
    timer = clock.after(waitMs, () => void quietly(list()));
  }

  async function load(): Promise<void> {
    const stored = await settings.get(storedAs);
    if (known || !isObject(stored) || stored['identity'] !== identity) return;
    await screen(readContent(stored['content']));
  }

  /** Nothing is used before it was scanned. */
  async function screen(next: UpstreamContent): Promise<void> {
    known = next;
    const policy = options.scanPolicy();
    const result = await screenContent(next, policy, log);
    if (isClosed || known !== next) return;
    screened = result;
    screenedWith = policy;
    options.onChange();
  }

  async function quietly(work: Promise<void>): Promise<void> {
    await work.catch((thrown: unknown) =>
      log.warn('upstream_content_not_kept', { error: CallError.from(thrown).toJSON() }),
    );
  }

  const stop = upstream.onChange((change) => {
    if (change === 'prompts' || change === 'resources') return listSoon();
    if (change !== 'state') return;
    const now = upstream.state().is === 'connected';
    if (now && !isConnected) listSoon();
    isConnected = now;
  });
  void quietly(load());
  if (upstream.state().is === 'connected') listSoon();
  return {
    content: () => screened?.content ?? NO_CONTENT,
    isWithheld: (uri) => screened?.withheld.has(uri) === true,
    rescan() {
      if (known && screened && options.scanPolicy() !== screenedWith) void quietly(screen(known));
    },
    close() {
      isClosed = true;
      timer?.stop();
      stop();
    },
  };
}

function readContent(stored: unknown): UpstreamContent {
  const lists = isObject(stored) ? stored : {};
  const list = (kind: keyof UpstreamContent) => {
    const entries = lists[kind];
    return Array.isArray(entries) ? (entries.filter(isObject) as JsonObject[]) : [];
  };
  return { prompts: list('prompts'), resources: list('resources'), templates: list('templates') };
}
