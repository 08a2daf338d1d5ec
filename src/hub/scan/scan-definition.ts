import type { ScanFinding, FindingCode, FindingSeverity } from '#core/hub/finding.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { ReasonParams } from '#core/messages/reasons.ts';
import { oneLine } from '#core/text/text.ts';
import { claimsToRead, wordsOfName } from './capabilities.ts';
import { findHidden, foldLookalikes, readTags } from './characters.ts';
import { MAX_SCANNED_CHARS, textsOf, type DefinitionText } from './definition-texts.ts';
import { decodePayloads } from './encoded-payloads.ts';
import { findMarkup } from './markup.ts';
import { imitates, type PeerIndex } from './peers.ts';
import { containsCommand, namesSecretFile } from './secrets.ts';
import { purposesOf } from './themes/purpose.ts';
import { readThemes, type SentenceReading } from './themes/read-themes.ts';
import { hasClass, readSentences, type Sentence } from './themes/sentences.ts';
import {
  BLOCKING_SCORE,
  decisive,
  weighThemes,
  withoutQuotes,
  type WeighedThemes,
} from './themes/weigh-themes.ts';
import type { Features } from './wording/features.ts';
import { createWording } from './wording/weigh-wording.ts';

/** What a server offers. Shadowing and capabilities concern tools alone. */
export interface ScannedDefinition {
  readonly kind: 'tool' | 'prompt' | 'resource' | 'template';
  readonly name: string;
  readonly definition: JsonObject;
}

const MAX_EXCERPT_CHARS = 160;
const MAX_FINDINGS = 20;
/** Beyond it only severe ones are looked at. */
const MAX_COLLECTED = 1_000;

export interface ScanResult {
  /** The worst first. */
  readonly findings: readonly ScanFinding[];
  /** How much text was read. */
  readonly chars: number;
  /** What its wording is judged by. */
  readonly features: Features;
}

/** Reads all texts of a definition and says what is suspicious in them. */
export function scanDefinition(scanned: ScannedDefinition, peers: PeerIndex): ScanResult {
  const { kind, name, definition } = scanned;
  const found = new Map<string, ScanFinding>();
  const nameWords = wordsOfName(name);

  function add<Code extends FindingCode>(
    code: Code,
    severity: FindingSeverity,
    params: ReasonParams[Code],
    excerpt: string,
  ): void {
    const key = `${code}\n${params.at}`;
    const known = found.get(key);
    if (known && RANK[known.severity] >= RANK[severity]) return;
    if (!known && found.size >= MAX_COLLECTED && severity !== 'high') return;
    const because = { code, params } as unknown as ScanFinding['reason'];
    found.set(key, {
      severity,
      reason: because,
      excerpt: oneLine(excerpt.trim(), MAX_EXCERPT_CHARS),
    });
  }

  function scanText({ at, text }: DefinitionText): void {
    scanCharacters(at, text);
    const whole = foldLookalikes(text);
    const folded = context.purposes.has('detector') ? withoutQuotes(whole) : whole;
    const read = (part: string) =>
      readSentences(part).map((sentence, index) =>
        readThemes(sentence, {
          ...context,
          isInSchema: isOfSchema(at),
          isFirst: at === 'description' && index === 0,
        }),
      );
    const markup = findMarkup(folded, (inside) => weighThemes(read(inside)).score);
    if (markup) add('scan_hidden_markup', markup, { at }, folded);
    if (isName(folded)) addName(at, folded, read);
    else addSentences(at, read(folded));
    for (const { encoding, text: decoded } of decodePayloads(whole)) {
      if (isHarmful(decoded)) add('scan_encoded_payload', 'high', { at, encoding }, decoded);
    }
  }

  /** `ignore_all_previous_instructions`, and arguments that ask for secrets. */
  function addName(
    at: string,
    text: string,
    read: (part: string) => readonly SentenceReading[],
  ): void {
    wording.addName(text);
    const words = wordsOfName(text);
    if (words.length < MIN_NAME_WORDS) return;
    const { score, excerpt, themes } = weighThemes(read(words.join(' ')));
    if (score >= BLOCKING_SCORE) add('scan_order_signs', 'high', { at, signs: themes }, excerpt);
  }

  function addSentences(at: string, sentences: readonly SentenceReading[]): void {
    wording.addText(at, sentences);
    if (kind === 'tool') for (const { sentence } of sentences) scanReferences(at, sentence);
    addWeighed(at, weighThemes(sentences));
  }

  function addWeighed(at: string, weighed: WeighedThemes): void {
    const { score, themes, excerpt, sentences } = weighed;
    if (score < REPORTED_SCORE) return;
    const alone = kind === 'tool' ? decisive(themes) : decisive(themes).filter(({ code }) => code);
    for (const { code, effect } of alone) {
      if (code !== undefined) add(code, 'high', { at }, excerpt);
      else if (effect !== undefined)
        add('scan_capability_mismatch', 'high', { at, capability: effect }, excerpt);
    }
    if (alone.length > 0) return;
    // A theme with a code of its own counts beside any text; several weak ones do not.
    const isHonest = kind === 'tool' && wording.scoreOf(sentences) < HONEST_SCORE;
    const severity = score >= BLOCKING_SCORE && !isHonest ? 'high' : 'medium';
    add('scan_order_signs', severity, { at, signs: themes }, excerpt);
  }

  function scanCharacters(at: string, text: string): void {
    const hidden = findHidden(text);
    if (!hidden) return;
    const { invisible: count, bidirectional, control, mixedWords } = hidden;
    // A tool for such characters shows some.
    const isSample = context.purposes.has('detector') && count <= MAX_SAMPLES;
    const severity = isSample ? 'medium' : 'high';
    if (count > 0) {
      add('scan_invisible_characters', severity, { at, count }, readTags(text) || text);
    }
    if (bidirectional > 0) add('scan_bidirectional_characters', 'high', { at }, text);
    if (control > 0) add('scan_control_characters', 'medium', { at }, text);
    if (mixedWords.length > 0) add('scan_mixed_scripts', severity, { at }, mixedWords.join(' '));
  }

  function scanReferences(at: string, sentence: Sentence): void {
    const other = findReference(sentence, peers);
    if (other) add('scan_other_tool', 'high', { at, ...other }, sentence.raw);
  }

  const { texts, isCut } = textsOf(definition);
  const ownWords = new Set([name, ...texts.map(({ text }) => text)]);
  /** A name that the server itself uses, and that no tool of others has. */
  const isOwn = (word: string) =>
    peers.isOwn(word) || (ownWords.has(word) && peers.find(word) === undefined);
  const context = {
    isOwnTool: (word: string) => word === name || peers.isOwnTool(word),
    isOwnArgument: isOwn,
    isPeerTool: (word: string) => peers.find(word) !== undefined,
    isPeerServer: (word: string) => peers.isServer(word),
    purposes: purposesOf(name, definition),
  };
  const wording = createWording(name, { isOwn, isPeerTool: context.isPeerTool });
  for (const text of texts) scanText(text);
  if (isCut) add('scan_too_large', 'high', { at: kind, maxChars: MAX_SCANNED_CHARS }, '');
  if (kind === 'tool') {
    const { description, annotations } = definition;
    const about = typeof description === 'string' ? description : '';
    const original = peers.namesakes(name).find((peer) => imitates(about, peer));
    if (original)
      add('scan_shadowed_tool', 'high', { at: 'description', server: original.server }, about);
    if (claimsToRead(nameWords, annotations)) {
      add('scan_capability_mismatch', 'medium', { at: 'annotations', capability: DESTROYS }, name);
    }
  }
  const { score, at, excerpt } = wording.weigh();
  const isFound = [...found.values()].some(({ severity }) => severity === 'high');
  if (kind === 'tool' && score >= POISONED_SCORE && !isFound)
    add('scan_wording', 'high', { at: at || 'name' }, excerpt || name);
  const findings = [...found.values()]
    .toSorted((a, b) => RANK[b.severity] - RANK[a.severity])
    .slice(0, MAX_FINDINGS);
  const chars = texts.reduce((sum, { text }) => sum + text.length, 0);
  return { findings, chars, features: wording.features() };
}

/** From it on the wording alone is a finding; below the other, several weak themes are only reported. */
const POISONED_SCORE = 0.4;
const HONEST_SCORE = -1;

const DESTROYS = 'it claims only to read';
const RANK: Readonly<Record<FindingSeverity, number>> = { low: 0, medium: 1, high: 2 };
const REPORTED_SCORE = 8;
const MIN_NAME_WORDS = 4;
const MAX_SAMPLES = 12;

/** A name of an argument, or one word of an enumeration. */
function isName(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text);
}

function isOfSchema(at: string): boolean {
  return at.startsWith('inputSchema') || at.startsWith('outputSchema');
}

const NOTHING_KNOWN = {
  isOwnTool: () => false,
  isOwnArgument: () => false,
  isPeerTool: () => false,
  isPeerServer: () => false,
  isInSchema: false,
  isFirst: false,
  purposes: new Set<never>(),
};
/** Texts are not encoded without a reason. */
const HARMFUL_SCORE = 5;

/** Whether a decoded text is a command, or gives orders to a model. */
function isHarmful(decoded: string): boolean {
  const lower = decoded.toLowerCase();
  if (containsCommand(lower) || namesSecretFile(lower)) return true;
  const sentences = readSentences(decoded).map((sentence) => readThemes(sentence, NOTHING_KNOWN));
  return weighThemes(sentences).score >= HARMFUL_SCORE;
}

/** A tool of another server that the model is told to use. */
function findReference(
  { words }: Sentence,
  peers: PeerIndex,
): { readonly server: string; readonly tool: string } | undefined {
  for (const [at, { name }] of words.entries()) {
    const peer = name === undefined ? undefined : peers.find(name);
    // What the user has chosen is not what a definition sends the model to.
    if (!peer || hasClass(words, 'asked')) continue;
    if (hasClass(words, 'call', at - 5, 5)) return { server: peer.server, tool: peer.name };
  }
  return undefined;
}
