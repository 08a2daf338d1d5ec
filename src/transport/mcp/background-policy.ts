import type { BackgroundPolicy } from '#core/calls/calls.ts';
import type { ClientCapability } from '#core/tools/input-request.ts';

/** How long a call runs before it becomes a job. */
interface BackgroundTimes {
  readonly inlineWaitMs: number;
  /** For clients that get progress notifications. */
  readonly withProgressMs: number;
  /** For clients that support tasks. */
  readonly taskWaitMs: number;
}

export type BackgroundPreference = 'wait' | 'background' | undefined;

interface HandoffDecision extends BackgroundPolicy {
  /** The reason, as the end of a sentence. */
  readonly because: string;
}

interface HandoffFacts {
  readonly preference: BackgroundPreference;
  /** Set if the client gets progress notifications. */
  readonly progressToken: string | number | undefined;
}

/**
 * Decides when a call becomes a job. The possible decisions are shared by all calls.
 */
export interface BackgroundPolicyDecider {
  decide(
    facts: HandoffFacts,
    abilities: readonly ClientCapability[],
    client: string | undefined,
  ): HandoffDecision;
}

/** Share of a client's time limit: it must get the job's id before it stops waiting. */
const LIMIT_SHARE = 0.9;

/** Decides by the times as they are at each call, as settings may change them. */
export function createBackgroundPolicy(times: BackgroundTimes): BackgroundPolicyDecider {
  let decisions = createDecisions(times);
  return {
    decide({ preference, progressToken }, abilities, client) {
      if (!isFor(decisions, times)) decisions = createDecisions(times);
      const isFollowing = abilities.includes('tasks');
      if (preference === 'background') return isFollowing ? BACKGROUND_TASK : BACKGROUND;
      if (preference === 'wait') return WAITS;
      if (isFollowing) return decisions.task;
      if (progressToken === undefined) return decisions.withoutProgress;
      const known = client === undefined ? undefined : decisions.known.get(client);
      return known ?? decisions.withProgress;
    },
  };
}

const WAITS = decision(Number.POSITIVE_INFINITY, 'job', 'the client wants to wait for it');
const BACKGROUND = decision(0, 'job', 'the client wants it done in the background');
const BACKGROUND_TASK = decision(0, 'task', BACKGROUND.because);

function createDecisions({ inlineWaitMs, withProgressMs, taskWaitMs }: BackgroundTimes) {
  return {
    times: { inlineWaitMs, withProgressMs, taskWaitMs },
    task: decision(taskWaitMs, 'task', 'the client follows tasks'),
    withoutProgress: decision(inlineWaitMs, 'job', 'the client hears of no progress'),
    withProgress: decision(withProgressMs, 'job', 'the client hears of its progress'),
    known: new Map(
      KNOWN_CLIENTS.map(({ name, title, limitMs }) => {
        const because = `${title} keeps to its limit, whatever it hears of progress`;
        const afterMs =
          limitMs === 'short'
            ? Math.min(inlineWaitMs, withProgressMs)
            : Math.min(withProgressMs, limitMs * LIMIT_SHARE);
        return [name, decision(afterMs, 'job', because)];
      }),
    ),
  };
}

function isFor({ times }: ReturnType<typeof createDecisions>, now: BackgroundTimes): boolean {
  return (
    times.inlineWaitMs === now.inlineWaitMs &&
    times.withProgressMs === now.withProgressMs &&
    times.taskWaitMs === now.taskWaitMs
  );
}

function decision(afterMs: number, as: BackgroundPolicy['as'], because: string): HandoffDecision {
  return Object.freeze({ afterMs, as, because });
}

/** A client that requests progress but has a fixed time limit anyway. */
interface KnownClient {
  /** `clientInfo.name`. */
  readonly name: string;
  readonly title: string;
  /** Its default time limit; `short` for about a minute, in some version or by report. */
  readonly limitMs: number | 'short';
}

/**
 * Clients whose time limit ignores progress. All others that request progress are assumed to extend
 * their limit with it, as Claude Code (2.1.197: each notification resets its silence timeout; by
 * anomalyco/opencode#35204 its total limit is a day) and opencode (1.18.33: it passes
 * `resetTimeoutOnProgress`) do; Visual Studio Code has no limit (microsoft/vscode#311595).
 */
export const KNOWN_CLIENTS: readonly KnownClient[] = [
  // Sends a token with every request, as its library does, and has one timer for the call
  // (codex-rs/rmcp-client). The timer was 60 s, then 120 s, since openai/codex#28234 it is 300 s;
  // `tool_timeout_sec` sets another.
  { name: 'codex-mcp-client', title: 'Codex', limitMs: 'short' },
  // Calls with a token and a timeout, but without `resetTimeoutOnProgress` (0.61.0:
  // MCP_DEFAULT_TIMEOUT_MSEC is ten minutes).
  { name: 'gemini-cli-mcp-client', title: 'Gemini CLI', limitMs: 600_000 },
  // 60 s or 4 minutes, not configurable: anthropics/claude-code#22542, #44032 and #65643.
  { name: 'claude-ai', title: 'Claude Desktop', limitMs: 'short' },
  // The timer of a request is armed once, for 60 s (crates/context_server/src/client.rs;
  // zed-industries/zed#56774).
  { name: 'Zed', title: 'Zed', limitMs: 'short' },
];

/**
 * Cancellation reasons of client libraries: `Request timed out` and `Maximum total timeout
 * exceeded` (TypeScript), `request timeout` (Rust), `TimeoutError: …` (an aborted signal).
 */
const TIMEOUT_REASON = /timed?[- ]?out/i;
const MAX_REASON_CHARS = 512;

/**
 * Whether a client cancels because of its time limit, and not because the answer is no longer
 * wanted.
 */
export function isTimeoutCancellation(clientText: unknown): boolean {
  return (
    typeof clientText === 'string' && TIMEOUT_REASON.test(clientText.slice(0, MAX_REASON_CHARS))
  );
}
