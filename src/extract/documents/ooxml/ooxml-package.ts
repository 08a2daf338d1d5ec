import { CallError } from '#core/errors/call-error.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { damaged } from '../document-errors.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { readXmlEntry } from '../xml/xml-tree.ts';
import { openZip, type ZipArchive } from '../zip/zip-archive.ts';

export interface Relationship {
  readonly id: string;
  /** The last segment of its type, such as `slide`; transitional and strict files agree in it. */
  readonly type: string;
  /** The name of a part, or an address if `isExternal`. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** A package of Office Open XML: parts, and the relationships between them. */
export interface OoxmlPackage {
  readonly archive: ZipArchive;
  readonly mainPart: string;
  /** What was damaged so far. */
  readonly notices: Notice[];
  /** The root element; `undefined` for a part that is missing or damaged, which is then noticed. */
  part(name: string | undefined): XmlElement | undefined;
  /** As `part`, for what the document cannot be read without. */
  requirePart(name: string): XmlElement;
  relationships(part: string): ReadonlyMap<string, Relationship>;
  /** The part that is the first of this type. */
  related(part: string, type: string): string | undefined;
}

export function openOoxml(bytes: Uint8Array, format: string, usualMain: string): OoxmlPackage {
  const archive = openZip(bytes, format);
  const known = new Map<string, ReadonlyMap<string, Relationship>>();
  const notices: Notice[] = [];

  function part(name: string | undefined): XmlElement | undefined {
    if (name === undefined) return undefined;
    try {
      return readXmlEntry(archive, name, 'drop');
    } catch (error) {
      if (!isDamage(error)) throw error;
      notices.push(notice('document_part_damaged', { part: name }));
      return undefined;
    }
  }

  function relationships(name: string): ReadonlyMap<string, Relationship> {
    let found = known.get(name);
    if (found === undefined) {
      found = readRelationships(part(relationshipsName(name)), name);
      known.set(name, found);
    }
    return found;
  }

  function related(from: string, type: string): string | undefined {
    for (const each of relationships(from).values())
      if (each.type === type && !each.isExternal) return each.target;
    return undefined;
  }

  const stated = related('', 'officeDocument');
  const mainPart = [stated, usualMain].find((name) => name !== undefined && archive.has(name));
  if (mainPart === undefined) throw damaged(format, 'its main part is missing');
  return {
    archive,
    mainPart,
    notices,
    part,
    relationships,
    related,
    requirePart(name) {
      const root = readXmlEntry(archive, name, 'drop');
      if (root === undefined) throw damaged(format, `its part ${name} is missing or empty`);
      return root;
    },
  };
}

/** Limits and passwords concern the whole document, a damaged part only itself. */
export function isDamage(error: unknown): boolean {
  return error instanceof CallError && error.class === 'validation';
}

function relationshipsName(part: string): string {
  const slash = part.lastIndexOf('/');
  return `${part.slice(0, slash + 1)}_rels/${part.slice(slash + 1)}.rels`;
}

function readRelationships(
  root: XmlElement | undefined,
  part: string,
): ReadonlyMap<string, Relationship> {
  const found = new Map<string, Relationship>();
  for (const element of root?.elements('Relationship') ?? []) {
    const id = element.get('Id');
    const target = element.get('Target');
    if (id === undefined || target === undefined) continue;
    const isExternal = element.get('TargetMode') === 'External';
    found.set(id, {
      id,
      type: (element.get('Type') ?? '').replace(/^.*\//, ''),
      target: isExternal ? target : resolvePart(part, target),
      isExternal,
    });
  }
  return found;
}

/** `../charts/chart1.xml` as seen from `ppt/slides/slide1.xml`. */
export function resolvePart(from: string, target: string): string {
  const path = target.replace(/#.*$/s, '');
  const segments = path.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}
