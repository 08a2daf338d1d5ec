import type { Upstream, UpstreamTool } from '#core/hub/upstream.ts';
import type { Tool } from '#core/tools/tool.ts';

interface UnlistedOptions {
  readonly server: string;
  readonly upstream: () => Upstream | undefined;
  /** The tool of a definition, as those of lists. */
  readonly toTool: (upstream: Upstream, tool: UpstreamTool) => Tool | undefined;
}

const SLUG = /^[A-Z][A-Z0-9_]{2,127}$/;
const MAX_KEPT = 1_000;

/**
 * Tools of a server that lists only some of its tools, by their names. Such a tool may do anything,
 * until its server was asked what it does, which happens with its first call.
 */
export function createUnlistedTools({
  server,
  upstream,
  toTool,
}: UnlistedOptions): (name: string) => Tool | undefined {
  const prefix = `mcp__${server}__`;
  let kept = new Map<string, Tool>();
  let of: Upstream | undefined;

  return (name) => {
    if (!name.startsWith(prefix)) return undefined;
    const slug = name.slice(prefix.length);
    const owner = upstream();
    // What is listed is found there, or switched off.
    if (!owner || !SLUG.test(slug) || owner.tools()?.some((tool) => tool.name === slug))
      return undefined;
    if (of !== owner || kept.size >= MAX_KEPT) kept = new Map();
    of = owner;
    const known = kept.get(slug);
    if (known) return known;
    const made = toTool(owner, { name: slug, definition: { name: slug, description: ABOUT } });
    if (made) kept.set(slug, made);
    return made;
  };
}

const ABOUT = 'A tool that is not listed; its arguments are checked when it is called.';
