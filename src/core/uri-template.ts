/** An address with parts written `{name}`, each of which stands for anything but a slash: the simple kind of RFC 6570. */
export interface UriTemplate {
  readonly names: readonly string[];
  /** The parts of an address that fits, decoded. */
  match(uri: string): Readonly<Record<string, string>> | undefined;
}

const PART = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
// Nobody writes longer ones, and matching should cost little whatever a stranger sends.
const MAX_URI_CHARS = 4096;

export function parseUriTemplate(template: string): UriTemplate {
  const names: string[] = [];
  let source = '';
  let end = 0;
  for (const part of template.matchAll(PART)) {
    source += `${escaped(template.slice(end, part.index))}([^/]+)`;
    names.push(part[1] ?? '');
    end = part.index + part[0].length;
  }
  const shape = new RegExp(`^${source}${escaped(template.slice(end))}$`, 'u');
  return {
    names,
    match(uri) {
      const found = uri.length > MAX_URI_CHARS ? null : shape.exec(uri);
      if (!found) return undefined;
      try {
        return Object.fromEntries(
          names.map((name, i) => [name, decodeURIComponent(found[i + 1] ?? '')]),
        );
      } catch {
        // A lone percent sign: no address that we gave out.
        return undefined;
      }
    },
  };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
