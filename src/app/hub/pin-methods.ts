import { CallError } from '#core/errors/call-error.ts';
import { hasHigh, type ScanFinding } from '#core/hub/finding.ts';
import {
  PIN_METHODS,
  type PinDecisions,
  type PinDiff,
  type PinSummary,
  type ShownFinding,
  type ShownQuarantine,
} from '#core/hub/pin-admin.ts';
import type { QuarantinedTool, Upstream } from '#core/hub/upstream.ts';
import { asObject } from '#core/json/json.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';
import type { PinStore } from '#core/stores/pins.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { didYouMean, oneLine } from '#core/text/text.ts';
import { upstreamToolName } from '#hub/catalogue/tool-name.ts';
import type { ConfiguredHub } from '#hub/create-hub.ts';
import { diffDefinitions } from '#hub/pins/diff-definitions.ts';
import { quarantineReason } from '#hub/pins/quarantine-reason.ts';
import { findServer } from './find-server.ts';
import { waitingTools } from './waiting-tools.ts';

interface PinMethodDeps {
  readonly pins: PinStore;
  readonly log: Log;
}

type AdminMethods = Readonly<Record<`exai/pins/${string}`, (params: unknown) => Promise<unknown>>>;

const MIN_HASH_CHARS = 8;
const MAX_SHOWN_CHARS = 128;

/** The owner's methods for pinned definitions. */
export function pinMethods(hub: ConfiguredHub, { pins, log }: PinMethodDeps): AdminMethods {
  const reviewed = () => hub.upstreams().filter((upstream) => upstream.review !== undefined);

  const find = (params: unknown) => findServer(hub, params, 'server');

  async function diff(upstream: Upstream, tool: QuarantinedTool): Promise<PinDiff> {
    const { name: server } = upstream;
    const { pinned, candidate } = await pins.show(server, tool.name);
    const after = candidate?.hash === tool.hash ? candidate : pinned;
    const isFirst = tool.change === 'found' || tool.change === 'added';
    return {
      server,
      ...shown(server, tool),
      differences: after
        ? diffDefinitions(isFirst ? undefined : pinned?.definition, after.definition)
        : [],
    };
  }

  async function decide(params: unknown): Promise<PinDecisions> {
    const upstream = find(params);
    const { name: server } = upstream;
    const decision = asObject(params)?.['decision'] === 'rejected' ? 'rejected' : 'approved';
    const hash = optionalText(params, 'hash');
    const named = asObject(params)?.['tools'];
    const names = Array.isArray(named) ? named.map(String) : [];
    const wanted =
      names.length > 0 ? names.map((name) => requireTool(upstream, name)) : waitingTools(upstream);
    if (hash !== undefined) checkHash(hash, wanted);
    // A finding is approved only by a decision about its tool.
    const isLeft = ({ findings }: QuarantinedTool) =>
      decision === 'approved' && names.length === 0 && hasHigh(findings);
    const decided: string[] = [];
    for (const tool of wanted.filter((each) => !isLeft(each))) {
      await pins.decide(server, tool.name, tool.hash, decision);
      log.info('upstream_tool_decided', { server, tool: tool.name, hash: tool.hash, decision });
      decided.push(tool.name);
    }
    await hub.reconsider(server);
    return { server, decision, decided, left: wanted.filter(isLeft).map(({ name }) => name) };
  }

  return {
    [PIN_METHODS.list]: async (params) => {
      const named = optionalText(params, 'server') === undefined ? undefined : find(params);
      const shown = reviewed().filter((upstream) => !named || upstream === named);
      return { servers: shown.map(summarise) };
    },
    [PIN_METHODS.diff]: async (params) => {
      const upstream = find(params);
      const tool = optionalText(params, 'tool');
      const tools = tool === undefined ? waitingTools(upstream) : [requireTool(upstream, tool)];
      const diffs: PinDiff[] = [];
      for (const each of tools) diffs.push(await diff(upstream, each));
      return { diffs };
    },
    [PIN_METHODS.decide]: decide,
  } as AdminMethods;
}

/** The pins of a server as the owner reads them. */
export function summarise(upstream: Upstream): PinSummary {
  const { name: server } = upstream;
  const { quarantined = [], warned = [], missing = [] } = upstream.review?.() ?? {};
  return {
    server,
    approved: upstream.tools()?.length ?? 0,
    quarantined: quarantined.map((tool) => shown(server, tool)),
    warned: warned.map(({ name, findings }) => ({ name, findings: findings.map(shownFinding) })),
    missing,
  };
}

function shown(server: string, { findings, ...tool }: QuarantinedTool): ShownQuarantine {
  return {
    ...tool,
    listedAs: upstreamToolName(server, tool.name),
    because: asSentence(baseRenderer.reason(quarantineReason(server, tool.name, tool))),
    findings: findings.map(shownFinding),
  };
}

function shownFinding({ severity, reason: why, excerpt }: ScanFinding): ShownFinding {
  return { severity, code: why.code, text: asSentence(baseRenderer.reason(why)), excerpt };
}

/** By its own name, or by the name that clients use. */
function requireTool(upstream: Upstream, name: string): QuarantinedTool {
  const { quarantined = [] } = upstream.review?.() ?? {};
  const found = quarantined.find(
    (tool) => tool.name === name || upstreamToolName(upstream.name, tool.name) === name,
  );
  if (found) return found;
  const near = didYouMean(
    name,
    quarantined.map((each) => each.name),
  );
  throw new CallError(
    'not_found',
    `${upstream.name} has no quarantined tool "${oneLine(name, MAX_SHOWN_CHARS)}"${near || '.'}`,
    { field: 'tool', fix: 'List what is quarantined with: exai pins list' },
  );
}

/** The owner decides about the definition that was shown, and not about one that came since. */
function checkHash(hash: string, tools: readonly QuarantinedTool[]): void {
  const [tool] = tools;
  const isOne = tools.length === 1 && tool !== undefined;
  if (isOne && hash.length >= MIN_HASH_CHARS && tool.hash.startsWith(hash)) return;
  const problem = isOne
    ? `The definition of ${oneLine(tool.name, MAX_SHOWN_CHARS)} has another hash; it may have changed again.`
    : '"hash" needs exactly one tool.';
  throw new CallError('conflict', problem, {
    field: 'hash',
    fix: 'Show what it is now with: exai pins diff',
  });
}

function optionalText(params: unknown, name: string): string | undefined {
  const value = asObject(params)?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
