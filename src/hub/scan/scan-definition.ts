import type { ScanFinding, FindingCode, FindingSeverity } from '#core/hub/finding.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { ReasonParams } from '#core/messages/reasons.ts';
import { oneLine } from '#core/text/text.ts';
import {
  claimsToRead,
  findMismatch,
  isAboutFiles,
  isAboutSending,
  wordsOfName,
} from './capabilities.ts';
import { findHidden, foldLookalikes, readTags } from './characters.ts';
import { MAX_SCANNED_CHARS, textsOf, type DefinitionText } from './definition-texts.ts';
import { decodePayloads } from './encoded-payloads.ts';
import { findMarkup } from './markup.ts';
import { imitates, type PeerIndex } from './peers.ts';
import { containsCommand, namesSecretFile } from './secrets.ts';
import { matchSentence } from './match-sentence.ts';
import { servesOthers } from './transfer-rules.ts';
import { severityOf, weighSigns } from './weigh-signs.ts';
import { hasClass, indexOfClass, readSentences, type Sentence } from './sentences.ts';

/** What a server offers. Shadowing and capabilities concern tools alone. */
export interface ScannedDefinition {
  readonly kind: 'tool' | 'prompt' | 'resource' | 'template';
  readonly name: string;
  readonly definition: JsonObject;
}

const MAX_EXCERPT_CHARS = 160;
const MAX_FINDINGS = 20;

export interface ScanResult {
  /** The worst first. */
  readonly findings: readonly ScanFinding[];
  /** How much text was read. */
  readonly chars: number;
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
    if (found.has(key) || found.size >= MAX_FINDINGS) return;
    const because = { code, params } as unknown as ScanFinding['reason'];
    found.set(key, {
      severity,
      reason: because,
      excerpt: oneLine(excerpt.trim(), MAX_EXCERPT_CHARS),
    });
  }

  function scanText({ at, text }: DefinitionText): void {
    scanCharacters(at, text);
    const folded = foldLookalikes(text);
    const markup = findMarkup(folded);
    if (markup) add('scan_hidden_markup', markup, { at }, folded);
    const sentences = readSentences(folded);
    for (const sentence of sentences) scanSentence(at, sentence);
    weigh(at, sentences, markup === 'medium');
    for (const { encoding, text: decoded } of decodePayloads(folded)) {
      if (isHarmful(decoded)) add('scan_encoded_payload', 'high', { at, encoding }, decoded);
    }
  }

  function weigh(at: string, sentences: readonly Sentence[], isInMarkup: boolean): void {
    const weighed = weighSigns(
      sentences.map(({ raw }) => raw),
      isOwn,
    );
    const severity = severityOf(weighed, isInMarkup);
    if (severity !== undefined)
      add('scan_order_signs', severity, { at, signs: weighed.signs }, weighed.excerpt);
  }

  function scanCharacters(at: string, text: string): void {
    const hidden = findHidden(text);
    if (!hidden) return;
    const { invisible: count, bidirectional, control, mixedWords } = hidden;
    if (count > 0) {
      add('scan_invisible_characters', 'high', { at, count }, readTags(text) || text);
    }
    if (bidirectional > 0) add('scan_bidirectional_characters', 'high', { at }, text);
    if (control > 0) add('scan_control_characters', 'medium', { at }, text);
    if (mixedWords.length > 0) add('scan_mixed_scripts', 'high', { at }, mixedWords.join(' '));
  }

  function scanSentence(at: string, sentence: Sentence): void {
    for (const { code, severity } of matchSentence(sentence)) {
      const isItsPurpose =
        code === 'scan_side_channel' && isAboutSending(nameWords) && !servesOthers(sentence);
      add(code, isItsPurpose ? 'low' : severity, { at } as ReasonParams[typeof code], sentence.raw);
    }
    if (kind !== 'tool') return;
    const mismatch = findMismatch(sentence);
    if (mismatch !== undefined && !isAboutFiles(nameWords)) {
      if (mismatch === 'secrets') add('scan_secret_access', 'high', { at }, sentence.raw);
      else
        add(
          'scan_capability_mismatch',
          'high',
          { at, capability: EFFECTS[mismatch] },
          sentence.raw,
        );
    }
    const other = findReference(sentence, peers);
    if (other) add('scan_other_tool', 'high', { at, ...other }, sentence.raw);
    const tool = findInterference(sentence, peers);
    if (tool !== undefined) add('scan_tool_interference', 'high', { at, tool }, sentence.raw);
  }

  const { texts, isCut } = textsOf(definition);
  const ownWords = new Set([name, ...texts.map(({ text }) => text)]);
  /** A name that the server itself uses, and that no tool of others has. */
  const isOwn = (word: string) =>
    peers.isOwn(word) || (ownWords.has(word) && peers.find(word) === undefined);
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
  const findings = [...found.values()].toSorted((a, b) => RANK[b.severity] - RANK[a.severity]);
  return { findings, chars: texts.reduce((sum, { text }) => sum + text.length, 0) };
}

const EFFECTS = {
  startup: 'it writes to files that run later',
  files: 'it deletes files',
} as const;
const DESTROYS = 'it claims only to read';
const RANK: Readonly<Record<FindingSeverity, number>> = { low: 0, medium: 1, high: 2 };

/** Whether a decoded text is a command, or gives orders to a model. */
function isHarmful(decoded: string): boolean {
  const lower = decoded.toLowerCase();
  if (containsCommand(lower) || namesSecretFile(lower)) return true;
  return readSentences(decoded).some((sentence) =>
    matchSentence(sentence).some(({ severity }) => severity === 'high'),
  );
}

const SNAKE_NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/;

/** `Whenever send_email is called, …`, of a tool that the server itself does not have. */
function findInterference({ words, lower }: Sentence, peers: PeerIndex): string | undefined {
  for (const [at, { text }] of words.entries()) {
    if (!SNAKE_NAME.test(text) || peers.isOwn(text)) continue;
    const when = indexOfClass(words, 'when', at - 4, 4);
    const isRule = when !== -1 && (when < 2 || words[when]?.text === 'whenever');
    const isCalled = isRule && hasClass(words, 'called', at + 1, 3);
    const isNamed = words[at + 1]?.text === 'tool' || words[at - 1]?.text === 'tool';
    const isChanged =
      /\b(?:modif(?:y|ies)|chang(?:e|es)|overrid(?:e|es)|alters?) the (?:behaviou?r|output|results?|arguments?|parameters?) of\b/.test(
        lower,
      );
    const isReplaced =
      hasClass(words, 'supersede') &&
      hasClass(words, 'must') &&
      (isNamed || hasClass(words, 'supersede', at - 1, 1));
    const isRouted = hasClass(words, 'supersede', at - 1, 1) && hasClass(words, 'all', at, 8);
    if (isCalled || isReplaced || isRouted || (isNamed && isChanged)) return text;
  }
  return undefined;
}

/** A tool of another server that the model is told to use. */
function findReference(
  { words }: Sentence,
  peers: PeerIndex,
): { readonly server: string; readonly tool: string } | undefined {
  for (const [at, { text }] of words.entries()) {
    if (text.length < 6) continue;
    const peer = peers.find(text);
    if (peer && hasClass(words, 'call', at - 5, 5)) return { server: peer.server, tool: peer.name };
  }
  return undefined;
}
