import type { ErrorClass } from '#core/errors/error-class.ts';
import type { FinishReason } from '#core/llm/chat.ts';
import type { Fault } from '../../emulator/vendor.ts';

export type Delivery = 'whole' | 'stream';

/** The emulator's names of those who are asked. */
export const VENDORS = [
  'kimi',
  'glm',
  'openrouter',
  'anthropic',
  'ollama',
  'vllm',
  'llamacpp',
  'lmstudio',
] as const;
export type VendorName = (typeof VENDORS)[number];

/**
 * What is asked of them. Ten words unless told, of which `KEPT` is what comes before a stream
 * breaks.
 */
export type FaultAsk = 'words' | 'calls' | 'json' | 'forced' | 'search' | 'upload' | 'content';

export const WORDS = 'amber birch cedar dune ember fern grove heath iris jade';
export const KEPT = 'amber birch cedar';

/**
 * What comes of it: a whole answer, or an error with its class, its hint and the text that came
 * before.
 */
export interface Outcome {
  readonly outcome: 'answered' | ErrorClass;
  readonly text?: string;
  readonly finish?: FinishReason;
  /** `name({"a":1})`. */
  readonly calls?: readonly string[];
  readonly usage?: 'counted' | 'estimated';
  readonly retryAfterMs?: number;
  /** The window that the vendor named. */
  readonly contextTokens?: number;
  /** Words of the error's fix. */
  readonly fix?: string;
  /** How often the vendor was asked; once unless told. */
  readonly requests?: number;
  /** The client closed its connection, because nothing came any more. */
  readonly hungUp?: true;
}

export type Outcomes = Outcome | Readonly<Record<Delivery, Outcome>>;

export interface FaultRow {
  /** Of the list of faults in the facts. */
  readonly fault: string;
  readonly what: string;
  readonly plan: Omit<Fault, 'vendor'>;
  /** The plan strikes after three words of text. */
  readonly strikes?: 'after three words';
  readonly ask?: FaultAsk;
  readonly deliveries?: readonly Delivery[];
  /** All unless told. */
  readonly who?: readonly VendorName[];
  /** What has to run out: nothing unless told. */
  readonly runsOut?: 'first token' | 'silence';
  readonly expect: Outcomes;
  /** Where a vendor has other words for it. */
  readonly by?: Readonly<Partial<Record<VendorName, Outcomes>>>;
}

export const ANSWERED: Outcome = {
  outcome: 'answered',
  text: WORDS,
  finish: 'stop',
  usage: 'counted',
};
export const WHOLE = ['whole'] as const;
export const STREAM = ['stream'] as const;
export const AT_HOME = ['ollama', 'vllm', 'llamacpp', 'lmstudio'] as const;
/** Those whose answers are not held to a schema by themselves, or may forget it. */
export const NOT_KIMI = ['glm', 'openrouter', 'anthropic', ...AT_HOME] as const;

export const failed = (outcome: ErrorClass, more: Omit<Outcome, 'outcome'> = {}): Outcome => ({
  outcome,
  ...more,
});
export const cutOff: Outcome = failed('interrupted', { text: KEPT });
export const calls = (...texts: readonly string[]): Outcome => ({
  outcome: 'answered',
  finish: 'tool_calls',
  text: '',
  usage: 'counted',
  calls: texts,
});
export const TWO_CALLS_TEXTS = ['add_numbers({"a":1,"b":2})', 'add_numbers({"a":3,"b":4})'];
export const TWO_CALLS = calls(...TWO_CALLS_TEXTS);
