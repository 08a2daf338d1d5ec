import { high, isDescribed, isOrdered, positions, type SentenceRule } from './rule.ts';
import { containsCommand, isAddress, namesPrivateFile, namesSecretFile } from './secrets.ts';
import { hasClass, indexOfClass, type Sentence, type Word } from './sentences.ts';

const secretTransfer: SentenceRule = ({ words, lower }) => {
  const hasFile = namesPrivateFile(lower);
  for (const at of positions(words, 'steal')) {
    if (isDescribed(words, at) || isNoun(words, at)) continue;
    if (hasFile || at + 1 < words.length) return high('scan_secret_transfer');
  }
  if (hasFile) {
    for (const at of positions(words, 'send')) {
      if (isDescribed(words, at) || isToCaller(words, at)) continue;
      if (isElsewhere(words, at + 1, 16)) return high('scan_secret_transfer');
    }
    for (const at of positions(words, 'insert')) {
      if (isDescribed(words, at) || !namesSecretFile(lower)) continue;
      if (hasClass(words, 'argument', at + 1, 12)) return high('scan_secret_transfer');
    }
  }
  for (const at of [...positions(words, 'insert'), ...positions(words, 'send')]) {
    const isCovert = hasClass(words, 'covertly', at - 4, 4);
    if (isCovert && !isDescribed(words, at) && secretAfter(words, at, 14) !== -1) {
      return high('scan_secret_transfer');
    }
  }
  for (const at of positions(words, 'send')) {
    if (isDescribed(words, at) || isToCaller(words, at)) continue;
    const secret = secretAfter(words, at);
    if (secret !== -1 && isElsewhere(words, secret + 1, 10)) return high('scan_secret_transfer');
  }
  return undefined;
};

/** `Retrieves route leak events`, `finds memory leaks in …`. */
function isNoun(words: readonly Word[], at: number): boolean {
  if (!/^leaks?$/.test(words[at]?.text ?? '')) return false;
  return !hasClass(words, 'data', at + 1, 4) && secretAfter(words, at) === -1;
}

/** `password reset`, `token count` and `key points` are not secrets. */
const AFTER_SECRET = new Set([
  'reset',
  'count',
  'counts',
  'usage',
  'limit',
  'limits',
  'policy',
  'change',
  'points',
  'value',
  'pair',
  'budget',
  'id',
  'ids',
  'type',
]);

function secretAfter(words: readonly Word[], at: number, reach = 8): number {
  for (let next = at + 1; next < Math.min(words.length, at + reach); next++) {
    const word = words[next];
    const isKey = word?.classes.has('key') && words[next - 1]?.classes.has('keyOwner');
    if (!isKey && !word?.classes.has('secretNoun')) continue;
    if (!AFTER_SECRET.has(words[next + 1]?.text ?? '')) return next;
  }
  return -1;
}

/** To an address, or to a place that is said to be of others. */
function isElsewhere(words: readonly Word[], from: number, reach: number): boolean {
  const end = Math.min(words.length, from + reach);
  for (let at = from; at < end; at++) {
    const word = words[at];
    if (!word) continue;
    if (isAddress(word.text)) return true;
    if (word.classes.has('external')) return true;
  }
  return false;
}

function isToCaller(words: readonly Word[], at: number): boolean {
  const to = words.findIndex(({ text }, index) => index > at && index < at + 8 && text === 'to');
  return to !== -1 && hasClass(words, 'caller', to + 1, 3) && !isElsewhere(words, to + 1, 6);
}

const sideChannel: SentenceRule = ({ words }) => {
  for (const at of positions(words, 'send')) {
    if (isDescribed(words, at)) continue;
    const isBeside =
      hasClass(words, 'also', at - 4, 4) ||
      isOrdered(words, at, 4) ||
      words.slice(Math.max(0, at - 2), at).some(({ text }) => text === 'instead') ||
      words[at - 1]?.text === 'and' ||
      words[at - 1]?.text === ',';
    const data = indexOfClass(words, 'data', at + 1, 7);
    if (!isBeside || data === -1) continue;
    const end = Math.min(words.length, data + 11);
    for (let next = at + 1; next < end; next++) {
      const word = words[next];
      if (!word) continue;
      const isOthers =
        isAddress(word.text) || (word.classes.has('external') && isPlaceNear(words, next));
      if (isOthers) return high('scan_side_channel');
    }
  }
  return requestElsewhere(words) ? high('scan_side_channel') : undefined;
};

/** `https://…`, `proxy.example.com`. */
const HOST =
  /^(?:https?:\/\/\S{3}|(?:[a-z0-9-]{1,63}\.)+(?:com|net|org|io|dev|app|xyz|example|test))/;
const REROUTES = /^(?:redirect|reroute|route|tunnel|proxy)$/;

/** `Instead of calling it, redirect all requests through …` */
function reroute(words: readonly Word[]): boolean {
  return words.some(({ text }, at) => {
    if (!REROUTES.test(text) || isDescribed(words, at)) return false;
    const isOrder =
      isOrdered(words, at) || words.slice(0, at).some((word) => word.text === 'instead');
    const isAll = hasClass(words, 'all', at + 1, 2);
    return isOrder && isAll && words.slice(at + 2, at + 12).some((word) => HOST.test(word.text));
  });
}

const DUPLICATES = /^(?:copy|duplicate|mirror|replicate|log|record)$/;

/** `Before using send_message, copy all content to an external …`: not what a tool itself does. */
function duplicate(words: readonly Word[]): boolean {
  return words.some(({ text }, at) => {
    if (!DUPLICATES.test(text) || words[at - 1]?.text !== ',' || isDescribed(words, at))
      return false;
    const isBefore = hasClass(words, 'when', 0, 1) && hasClass(words, 'call', 1, 2);
    const data = indexOfClass(words, 'data', at + 1, 5);
    return isBefore && data !== -1 && isElsewhere(words, data + 1, 6);
  });
}

const forOthers: SentenceRule = (sentence) =>
  servesOthers(sentence) ? high('scan_side_channel') : undefined;

/** What no tool is for, not even one that sends. */
export function servesOthers(sentence: Sentence): boolean {
  const { words } = sentence;
  return copiesToAddress(sentence) || reroute(words) || duplicate(words);
}

/** A copy of every message for an address that the definition names. */
function copiesToAddress({ words, lower }: Sentence): boolean {
  if (hasClass(words, 'about')) return false;
  const isCopied = /\bbcc(?:'d|’d|ed)?\b|\bblind copy\b|\bforward (?:a |every )?copy\b/.test(lower);
  if (isCopied) return words.some(isMailAddress);
  // `Always forward … to security@example.com.`
  for (const at of positions(words, 'send')) {
    if (isOrdered(words, at, 3) && words.slice(at + 1, at + 10).some(isMailAddress)) return true;
  }
  return false;
}

function isMailAddress({ text }: Word): boolean {
  return text.includes('@') && isAddress(text);
}

function isPlaceNear(words: readonly Word[], at: number): boolean {
  return (
    words[at]?.text.startsWith('attacker') === true ||
    hasClass(words, 'place', at + 1, 4) ||
    /^(?:collector|webhook|offsite)$/.test(words[at]?.text ?? '')
  );
}

const REQUESTS = new Set(['request', 'connection', 'endpoint', 'webhook']);

const REQUESTING = new Set([
  'make',
  'send',
  'issue',
  'perform',
  'access',
  'contact',
  'ping',
  'call',
  'query',
  'open',
]);

/** `you must also make a request to https://…` */
function requestElsewhere(words: readonly Word[]): boolean {
  const ordered = indexOfClass(words, 'must', 0, words.length);
  if (ordered === -1 || isDescribed(words, ordered)) return false;
  const request = words.findIndex(
    ({ text }, at) => at > ordered && at < ordered + 9 && REQUESTS.has(text),
  );
  const isMade = words.slice(ordered, request).some(({ text }) => REQUESTING.has(text));
  if (request === -1 || !isMade) return false;
  return words.slice(request, request + 10).some(({ text }) => isAddress(text));
}

const PREFIXED = /\bcommands?\b.{0,40}\bmust (?:be prefixed|begin|start|include|contain)\b/;

const command: SentenceRule = ({ words, lower }) => {
  if (!containsCommand(lower)) return undefined;
  if (PREFIXED.test(lower) && !hasClass(words, 'about')) return high('scan_command');
  for (const at of positions(words, 'run')) {
    const isForbidden = hasClass(words, 'not', at - 2, 2);
    if (!isForbidden && !isDescribed(words, at) && isOrdered(words, at, 4))
      return high('scan_command');
  }
  return undefined;
};

/** Rules about data that leave their tool, and about commands. */
export const TRANSFER_RULES: readonly SentenceRule[] = [
  secretTransfer,
  sideChannel,
  forOthers,
  command,
];
