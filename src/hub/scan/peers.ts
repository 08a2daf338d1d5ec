import type { UpstreamTool } from '#core/hub/upstream.ts';
import { wordsOfName } from './capabilities.ts';

/** A tool of another server, as far as it can be imitated or referred to. */
export interface PeerTool {
  readonly server: string;
  readonly name: string;
  readonly words: ReadonlySet<string>;
}

/** The tools of other servers, by name. */
export interface PeerIndex {
  /** Tools with this name, or with it and a suffix such as `_v2`. */
  namesakes(name: string): readonly PeerTool[];
  /** A tool that has exactly this distinctive name. */
  find(name: string): PeerTool | undefined;
  /** Whether the server itself has a tool, or an argument, of this name. */
  isOwn(name: string): boolean;
  isOwnTool(name: string): boolean;
  /** Whether it is the name of another server. */
  isServer(name: string): boolean;
}

const SUFFIX = /[_-](?:v?\d+|new|secure|safe|pro|plus|enhanced|fast|improved)$/;
const MIN_SIMILARITY = 0.75;
const MIN_WORDS = 6;

export interface PeerServer {
  readonly server: string;
  readonly tools: readonly UpstreamTool[];
}

/**
 * The tools of the other servers. A server that has most of the same tools is the same program with
 * other settings, such as another account, and is not imitated.
 */
export function indexPeers(own: PeerServer, others: readonly PeerServer[]): PeerIndex {
  const ownNames = new Set(own.tools.map(({ name }) => name));
  const ownArguments = new Set(
    own.tools.flatMap(({ definition }) => {
      const { properties } = (definition['inputSchema'] ?? {}) as { readonly properties?: object };
      return Object.keys(properties ?? {});
    }),
  );
  const peers = others.filter(({ tools }) => !isSameProgram(ownNames, tools));
  const servers = new Set(peers.map(({ server }) => server));
  const byName = new Map<string, PeerTool[]>();
  for (const { server, tools } of peers) {
    for (const { name, definition } of tools) {
      const words = wordsOf(definition['description']);
      const key = name.toLowerCase();
      const known = byName.get(key);
      if (known) known.push({ server, name, words });
      else byName.set(key, [{ server, name, words }]);
    }
  }
  return {
    namesakes(name) {
      const key = name.toLowerCase();
      return byName.get(key) ?? byName.get(key.replace(SUFFIX, '')) ?? [];
    },
    isOwnTool: (name) => ownNames.has(name),
    isServer: (name) => servers.has(name),
    isOwn: (name) => ownNames.has(name) || ownArguments.has(name),
    find(name) {
      return ownNames.has(name) || !isDistinctive(name) ? undefined : byName.get(name)?.[0];
    },
  };
}

const SAME_SHARE = 0.6;
const MIN_SAME = 3;

function isSameProgram(ownNames: ReadonlySet<string>, tools: readonly UpstreamTool[]): boolean {
  const shared = tools.filter(({ name }) => ownNames.has(name)).length;
  return shared >= MIN_SAME && shared / Math.min(ownNames.size, tools.length) >= SAME_SHARE;
}

/** Names of one word, such as `search`, are words of descriptions, too. */
function isDistinctive(name: string): boolean {
  return name.length >= 6 && wordsOfName(name).length >= 2;
}

/** Whether a description says nearly the same as that of a peer. */
export function imitates(description: string, peer: PeerTool): boolean {
  const words = wordsOf(description);
  if (words.size < MIN_WORDS || peer.words.size < MIN_WORDS) return false;
  let shared = 0;
  for (const word of words) if (peer.words.has(word)) shared += 1;
  return shared / (words.size + peer.words.size - shared) >= MIN_SIMILARITY;
}

const MAX_CHARS = 2_000;

function wordsOf(description: unknown): ReadonlySet<string> {
  const text = typeof description === 'string' ? description.slice(0, MAX_CHARS) : '';
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}
