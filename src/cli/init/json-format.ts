import { createPositions } from '#config/json-position.ts';
import type { Path } from './client.ts';
import type { Format } from './format.ts';
import { insertMember, removeMember, replaceValue, wholeDocument } from './json-edit.ts';
import {
  readTree,
  type Dialect,
  type Tree,
  type TreeMember,
  type TreeObject,
} from './jsonc-tree.ts';
import { SettingsFault } from './settings-fault.ts';

export function jsonFormat(dialect: Dialect): Format {
  const read = (text: string) => {
    const tree = readTree(text, dialect);
    if (tree === undefined || tree.type === 'object') return tree;
    throw new SettingsFault('The file should hold an object, in { and }', { line: 1, column: 1 });
  };
  return {
    at(text, path) {
      const member = findMember(text, read(text), path);
      return member && valueOf(text, member.node);
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
function findMember(text: string, root: TreeObject | undefined, path: Path) {
  const [name = '', ...reversed] = path.toReversed();
  const parent = objectAt(text, root, reversed.toReversed());
  return parent && memberOf(text, parent, name);
}

function objectAt(
  text: string,
  root: TreeObject | undefined,
  path: readonly string[],
): TreeObject | undefined {
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

function memberOf(text: string, object: TreeObject, name: string): TreeMember | undefined {
  const [first, second] = object.members.filter(({ key }) => key === name);
  if (second === undefined) return first;
  throw new SettingsFault(
    `"${name}" stands here for the second time`,
    createPositions(text)(second.keyAt),
  );
}

/** The innermost object of the path that is there, and the names that are missing in it. */
function deepestObject(text: string, root: TreeObject, path: Path): [TreeObject, Path] {
  const [name, ...others] = path;
  const [next, ...more] = others;
  const inner = next !== undefined && objectAt(text, root, [name]);
  return inner ? deepestObject(text, inner, [next, ...more]) : [root, path];
}

function valueOf(text: string, node: Tree): unknown {
  switch (node.type) {
    case 'scalar':
      return JSON.parse(text.slice(node.at, node.end));
    case 'array':
      return node.items.map((item) => valueOf(text, item));
    case 'object':
      return Object.fromEntries(
        node.members.map(({ key, node: value }) => [key, valueOf(text, value)]),
      );
  }
}

/** In the order and the words of the text, so that nothing can change unseen: no number rounded, no name hidden by a second. */
function restOf(text: string, node: Tree, path: readonly string[]): unknown {
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
