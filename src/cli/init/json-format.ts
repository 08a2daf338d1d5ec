import { faultText } from '#core/json-text/json-fault.ts';
import {
  readJsonText,
  toJson,
  type JsonDialect,
  type JsonMember,
  type JsonNode,
  type JsonObjectNode,
} from '#core/json-text/json-text.ts';
import { createPositions } from '#core/json-text/position.ts';
import type { Path } from './client.ts';
import type { Format } from './format.ts';
import { insertMember, removeMember, replaceValue, wholeDocument } from './json-edit.ts';
import { SettingsFault } from './settings-fault.ts';

const MAX_DEPTH = 400;

export function jsonFormat(dialect: JsonDialect): Format {
  /** Nothing where the text has no value at all. */
  const read = (text: string): JsonObjectNode | undefined => {
    const found = readJsonText(text, { dialect, maxDepth: MAX_DEPTH, repeatedNames: 'kept' });
    if (found.is === 'faulty') {
      if (found.fault.code === 'empty') return undefined;
      throw new SettingsFault(faultText(found.fault), found.fault);
    }
    if (found.root.type === 'object') return found.root;
    throw new SettingsFault('The file should hold an object, in { and }', { line: 1, column: 1 });
  };
  return {
    at(text, path) {
      const member = findMember(text, read(text), path);
      return member && toJson(member.node);
    },
    set(text, path, entry) {
      const root = read(text);
      if (root === undefined) return wholeDocument(text, path, entry);
      const there = findMember(text, root, path);
      if (there) return replaceValue(text, root, there, entry);
      const [object, missing] = deepestObject(text, root, path);
      return insertMember(text, root, object, missing, entry);
    },
    remove(text, path) {
      const [name = '', ...reversed] = path.toReversed();
      const root = read(text);
      const parent = objectAt(text, root, reversed.toReversed());
      const index = parent?.members.findIndex(({ key }) => key === name) ?? -1;
      return parent === undefined || index === -1 ? text : removeMember(text, parent, index);
    },
    rest: (text, path) => {
      const root = read(text);
      return root && JSON.stringify(restOf(text, root, path));
    },
  };
}

/** Throws where the path leads through something that is no object, or that stands there twice. */
function findMember(text: string, root: JsonObjectNode | undefined, path: Path) {
  const [name = '', ...reversed] = path.toReversed();
  const parent = objectAt(text, root, reversed.toReversed());
  return parent && memberOf(text, parent, name);
}

function objectAt(
  text: string,
  root: JsonObjectNode | undefined,
  path: readonly string[],
): JsonObjectNode | undefined {
  let object = root;
  for (const name of path) {
    const node = object && memberOf(text, object, name)?.node;
    if (node && node.type !== 'object') {
      throw new SettingsFault(
        `"${name}" should be an object, in { and }`,
        createPositions(text)(node.at),
      );
    }
    object = node;
  }
  return object;
}

function memberOf(text: string, object: JsonObjectNode, name: string): JsonMember | undefined {
  const [first, second] = object.members.filter(({ key }) => key === name);
  if (second === undefined) return first;
  throw new SettingsFault(
    `"${name}" stands here for the second time`,
    createPositions(text)(second.keyAt),
  );
}

/** The innermost object of the path that is there, and the names that are missing in it. */
function deepestObject(text: string, root: JsonObjectNode, path: Path): [JsonObjectNode, Path] {
  const [name, ...others] = path;
  const [next, ...more] = others;
  const inner = next !== undefined && objectAt(text, root, [name]);
  return inner ? deepestObject(text, inner, [next, ...more]) : [root, path];
}

/** In the order and the words of the text, so that nothing can change unseen: no number rounded, no name hidden by a second. */
function restOf(text: string, node: JsonNode, path: readonly string[]): unknown {
  const [name, ...others] = path;
  switch (node.type) {
    case 'scalar':
      return text.slice(node.at, node.end);
    case 'array':
      return node.items.map((item) => restOf(text, item, []));
    case 'object':
      return {
        members: node.members
          .filter(({ key }) => key !== name || others.length > 0)
          .map((member) => [
            member.key,
            restOf(text, member.node, member.key === name ? others : []),
          ]),
      };
  }
}
