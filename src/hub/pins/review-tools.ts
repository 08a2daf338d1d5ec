import { hasHigh, type ScanFinding, type ScanPolicy } from '#core/hub/finding.ts';
import type { QuarantinedTool, UpstreamReview, UpstreamTool } from '#core/hub/upstream.ts';
import type { NewCandidate, Pin, PinCandidate, PinnedServer, PinStore } from '#core/stores/pins.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { indexPeers, type PeerIndex, type PeerServer } from '../scan/peers.ts';
import { scanDefinition } from '../scan/scan-definition.ts';
import { hashDefinition, hashList, hashWithoutName } from './hash-definition.ts';
import { createScanTurns } from './scan-turns.ts';

export interface ToolReviewDeps {
  readonly store: PinStore;
  /** The servers with their tools, those that may be called. */
  readonly servers: () => readonly PeerServer[];
}

/** A list of tools of a server, compared with what is pinned. */
export interface ToolReview extends UpstreamReview {
  /** Those that may be called. */
  readonly tools: readonly UpstreamTool[];
  /** The definitions that may be called, by the names of their tools. */
  readonly approved: ReadonlyMap<string, string>;
}

export interface ReviewRequest {
  readonly server: string;
  readonly policy: ScanPolicy;
  /**
   * `pin`: a tool that was added is pinned like those of the first sight, for a server whose list
   * grows with each account that is connected.
   */
  readonly additions?: 'quarantine' | 'pin';
  readonly tools: readonly UpstreamTool[];
  readonly hashes: ReadonlyMap<string, string>;
  readonly log: Log;
}

/** The hash of each definition, with pauses between them. */
export async function hashTools(
  tools: readonly UpstreamTool[],
): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  const turn = createScanTurns();
  for (const { name, definition } of tools) {
    hashes.set(name, hashDefinition(definition));
    // Its length is not known without writing it; a usual one has this many characters.
    await turn(1_000);
  }
  return hashes;
}

/**
 * Decides which tools of a server may be called. At first sight all definitions are pinned; later
 * each that differs, or is new, waits for the owner. Definitions are scanned once, when they are
 * pinned or begin to wait.
 */
export async function reviewTools(
  request: ReviewRequest,
  deps: ToolReviewDeps,
): Promise<ToolReview> {
  const { server, policy, tools, hashes, log } = request;
  const { store } = deps;
  const scan = createScan(request, deps);
  let pinned = await store.load(server);
  if (!pinned) {
    await pinAll(request, store, scan);
    log.info('upstream_tools_pinned', { tools: tools.length, hash: hashList(hashes) });
    pinned = await store.load(server);
  }
  if (pinned && request.additions === 'pin') pinned = await pinAdded(request, pinned, store, scan);
  const listHash = hashList(hashes);
  if (policy !== 'off' && pinned?.approvedListHash === listHash) {
    return { tools, approved: hashes, quarantined: [], warned: [], missing: [] };
  }
  const review = await compare(request, pinned ?? EMPTY, store, scan);
  const isClean =
    policy !== 'off' &&
    review.quarantined.length + review.warned.length + review.missing.length === 0;
  if (isClean) await store.saveApprovedList(server, listHash);
  return review;
}

const EMPTY: PinnedServer = { approvedListHash: '', firstSeenAt: 0, pins: [], candidates: [] };

/** Scans definitions, and none where scanning is off. */
type Scan = (tool: UpstreamTool) => Promise<readonly ScanFinding[] | null>;

function createScan({ server, policy, tools }: ReviewRequest, { servers }: ToolReviewDeps): Scan {
  const turn = createScanTurns();
  let peers: PeerIndex | undefined;
  return async ({ name, definition }) => {
    if (policy === 'off') return null;
    peers ??= indexPeers(
      { server, tools },
      servers().filter((each) => each.server !== server),
    );
    const { findings, chars } = scanDefinition({ kind: 'tool', name, definition }, peers);
    await turn(chars);
    return findings;
  };
}

async function pinAll(
  { server, tools, hashes }: ReviewRequest,
  store: PinStore,
  scan: Scan,
): Promise<void> {
  const pins = [];
  for (const tool of tools) {
    const { name, definition } = tool;
    pins.push({ tool: name, hash: hashes.get(name) ?? '', definition, findings: await scan(tool) });
  }
  await store.pin(server, pins);
}

async function pinAdded(
  request: ReviewRequest,
  pinned: PinnedServer,
  store: PinStore,
  scan: Scan,
): Promise<PinnedServer> {
  const known = new Set(pinned.pins.map(({ tool }) => tool));
  const tools = request.tools.filter(({ name }) => !known.has(name));
  if (tools.length === 0) return pinned;
  await pinAll({ ...request, tools }, store, scan);
  return (await store.load(request.server)) ?? EMPTY;
}

async function compare(
  request: ReviewRequest,
  pinned: PinnedServer,
  store: PinStore,
  scan: Scan,
): Promise<ToolReview> {
  const { server, policy, hashes, log } = request;
  const pins = new Map(pinned.pins.map((pin) => [pin.tool, pin]));
  const candidates = new Map(pinned.candidates.map((each) => [each.tool, each]));
  const missing = pinned.pins.filter(({ tool }) => !hashes.has(tool)).map(({ tool }) => tool);
  const found: UpstreamTool[] = [];
  const approved = new Map<string, string>();
  const quarantined: QuarantinedTool[] = [];
  const warned: { name: string; findings: readonly ScanFinding[] }[] = [];
  const held: NewCandidate[] = [];
  const scanned: { tool: string; hash: string; findings: readonly ScanFinding[] | null }[] = [];
  const renamed = await bodiesOf(missing, { server, store, isWanted: hasNew(request, pins) });

  for (const tool of request.tools) {
    const { name, definition } = tool;
    const hash = hashes.get(name) ?? '';
    const pin = pins.get(name);
    if (pin?.hash === hash) {
      const findings = pin.findings ?? (await scan(tool)) ?? [];
      if (!pin.findings && policy !== 'off') scanned.push({ tool: name, hash, findings });
      const held = holdsPin(pin, findings, policy);
      if (held) {
        quarantined.push({ name, hash, change: 'found', decision: held, findings });
        continue;
      }
      found.push(tool);
      approved.set(name, hash);
      if (findings.length > 0 && policy !== 'off') warned.push({ name, findings });
      continue;
    }
    const known = candidates.get(name);
    const isSame = known?.hash === hash;
    const findings = (isSame ? known.findings : null) ?? (await scan(tool));
    const renamedFrom = isSame
      ? known.renamedFrom
      : (!pin && renamed.get(hashWithoutName(definition))) || null;
    if (!isSame || (known.findings === null && findings !== null)) {
      held.push({ tool: name, hash, definition, findings, renamedFrom });
    }
    quarantined.push({
      name,
      hash,
      change: pin ? 'changed' : 'added',
      decision: isSame ? known.decision : 'waiting',
      findings: findings ?? [],
      ...(renamedFrom !== null && { renamedFrom }),
    });
    if (!isSame)
      log.warn('upstream_tool_quarantined', {
        tool: name,
        change: pin ? 'changed' : 'added',
        hash,
      });
  }

  const gone = pinned.candidates
    .filter((each) => isOver(each, hashes, pins))
    .map(({ tool }) => tool);
  if (held.length + gone.length > 0) await store.hold(server, held, gone);
  if (scanned.length > 0) await store.saveFindings(server, scanned);
  return { tools: found, approved, quarantined, warned, missing };
}

/** Why the pinned definition itself is not callable; undefined if it is. */
function holdsPin(
  { approval }: Pin,
  findings: readonly ScanFinding[],
  policy: ScanPolicy,
): QuarantinedTool['decision'] | undefined {
  if (approval === 'rejected') return 'rejected';
  return approval === 'first_sight' && policy === 'block' && hasHigh(findings)
    ? 'waiting'
    : undefined;
}

/** Its tool is gone, or has the pinned definition again. */
function isOver(
  { tool }: PinCandidate,
  hashes: ReadonlyMap<string, string>,
  pins: ReadonlyMap<string, Pin>,
): boolean {
  const hash = hashes.get(tool);
  return hash === undefined || pins.get(tool)?.hash === hash;
}

function hasNew({ tools }: ReviewRequest, pins: ReadonlyMap<string, Pin>): boolean {
  return tools.some(({ name }) => !pins.has(name));
}

const MAX_MISSING = 100;

/** The names of pinned tools that are gone, by the hashes of their definitions without names. */
async function bodiesOf(
  missing: readonly string[],
  about: { server: string; store: PinStore; isWanted: boolean },
): Promise<ReadonlyMap<string, string>> {
  const bodies = new Map<string, string>();
  if (!about.isWanted) return bodies;
  for (const tool of missing.slice(0, MAX_MISSING)) {
    const { pinned } = await about.store.show(about.server, tool);
    if (pinned) bodies.set(hashWithoutName(pinned.definition), tool);
  }
  return bodies;
}
