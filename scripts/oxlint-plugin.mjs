// The rules that oxlint has no setting for. Loaded by .oxlintrc.json; plain JavaScript, because oxlint imports it as it is.
import { posix } from 'node:path';
import { findAvoidedPhrases } from './plain-words.mjs';

const noCurrentDate = {
  create(context) {
    const report = (node) =>
      context.report({
        node,
        message:
          'This reads the clock. Take the clock that is passed in: new Date(clock.now()); only src/app/system.ts reads the machine.',
      });
    const isDate = ({ callee }) => callee.type === 'Identifier' && callee.name === 'Date';
    return {
      NewExpression: (node) => isDate(node) && node.arguments.length === 0 && report(node),
      // Called without `new`, it gives the current time whatever its arguments.
      CallExpression: (node) => isDate(node) && report(node),
    };
  },
};

const zodAsNamespace = {
  create: (context) => ({
    ImportDeclaration(node) {
      if (node.source.value !== 'zod') return;
      if (node.specifiers.every(({ type }) => type === 'ImportNamespaceSpecifier')) return;
      context.report({
        node,
        message:
          "Write import * as z from 'zod': through the name z the bundler cannot see what is used, and ships all of zod.",
      });
    },
  }),
};

/** Of a file under src/: the path of src/ itself, and the module's folder in it. */
const MODULE = /^(?<root>.*\/src)\/(?<folder>[^/]+)\//;

// By the resolved path, not by a pattern: a module may have a folder with the name of another
// module.
const crossModulesByName = {
  create(context) {
    const file = context.filename.replaceAll('\\', '/');
    const { root, folder } = MODULE.exec(file)?.groups ?? {};
    if (root === undefined) return {};
    const check = (node) => {
      const from = node.source?.value;
      if (typeof from !== 'string' || !from.startsWith('../')) return;
      const path = posix.join(posix.dirname(file), from);
      if (!path.startsWith(`${root}/`) || path.startsWith(`${root}/${folder}/`)) return;
      context.report({ node, message: 'Import from another module as #module/file.ts, never ../' });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};

/**
 * Names under which our own sentences go: what is decided by one of them changes when it is
 * reworded.
 */
const SENTENCES = new Set([
  'because',
  'detail',
  'fix',
  'message',
  'note',
  'notice',
  'notices',
  'reason',
  'sentence',
]);
const OF_TEXTS = new Set([
  'endsWith',
  'includes',
  'indexOf',
  'match',
  'matchAll',
  'replace',
  'replaceAll',
  'search',
  'split',
  'startsWith',
]);
/** A text that is rewritten is matched as well, whatever its name. */
const REWRITTEN = new Set(['words']);
const REWRITES = new Set(['replace', 'replaceAll']);
const OF_PATTERNS = new Set(['exec', 'test']);
const COMPARISONS = new Set(['==', '===', '!=', '!==']);

/** A reason is a code, or one of a few names, as often as a text; a text is read by methods. */
const isComparable = (node) => nameOf(node) === 'reason';

/** Methods whose result is the same text, or a part of it. */
const KEEPS_TEXT = new Set([
  'at',
  'concat',
  'normalize',
  'slice',
  'substring',
  'toLocaleLowerCase',
  'toLowerCase',
  'toString',
  'toUpperCase',
  'trim',
  'trimEnd',
  'trimStart',
]);
/** Methods that hand each entry of a list to a function. */
const ITERATES = new Set(['every', 'filter', 'find', 'findIndex', 'findLast', 'flatMap', 'some']);

/**
 * `message`, `error?.message`, `error['message']`, `because[0]`, `message.trim()`,
 * `String(message)`, `${message}`.
 */
function nameOf(node) {
  switch (node?.type) {
    case 'Identifier':
      return node.name;
    case 'MemberExpression': {
      if (!node.computed) return node.property.name;
      const { value } = node.property;
      return typeof value === 'string' ? value : nameOf(node.object);
    }
    case 'ChainExpression':
    case 'TSAsExpression':
    case 'TSNonNullExpression':
      return nameOf(node.expression);
    case 'LogicalExpression':
      return nameOf(node.left);
    case 'TemplateLiteral':
      return node.expressions.length === 1 ? nameOf(node.expressions[0]) : undefined;
    case 'CallExpression': {
      const { callee, arguments: given } = node;
      if (callee.type === 'Identifier' && callee.name === 'String') return nameOf(given[0]);
      const isSameText = callee.type === 'MemberExpression' && KEEPS_TEXT.has(callee.property.name);
      return isSameText ? nameOf(callee.object) : undefined;
    }
    default:
      return undefined;
  }
}

/** Whether there is a text at all says nothing about what it says; nor does a number. */
function isNothing(node) {
  const isEmpty = node.type === 'Literal' && (typeof node.value !== 'string' || node.value === '');
  return isEmpty || (node.type === 'Identifier' && node.name === 'undefined');
}

const ownSentences = {
  create(context) {
    /** Other names of sentences, each with the function that it has them in. */
    const aliases = [];
    const functions = [];
    const isAlias = (name, { range: [at] }) =>
      aliases.some((alias) => alias.name === name && alias.from <= at && at < alias.to);
    const isSentence = (node) => {
      const name = nameOf(node);
      return name !== undefined && (SENTENCES.has(name) || isAlias(name, node));
    };
    const addAlias = (name, scope) => {
      const [from, to] = scope?.range ?? [0, Infinity];
      aliases.push({ name, from, to });
    };
    const enter = (node) => {
      functions.push(node);
    };
    const leave = () => {
      functions.pop();
    };
    /** `some((line) => …)` on a list of sentences: each entry is one. */
    const readCallback = ({ callee, arguments: given }) => {
      const [callback] = given;
      const parameter = callback?.params?.[0];
      if (!ITERATES.has(callee.property.name) || parameter?.type !== 'Identifier') return;
      if (isSentence(callee.object)) addAlias(parameter.name, callback);
    };
    const report = (node) =>
      context.report({
        node,
        message:
          'This decides by the text of a message. Give it a code (src/core/messages) and decide by that; a reworded sentence must change no behaviour.',
      });
    return {
      FunctionDeclaration: enter,
      FunctionExpression: enter,
      ArrowFunctionExpression: enter,
      'FunctionDeclaration:exit': leave,
      'FunctionExpression:exit': leave,
      'ArrowFunctionExpression:exit': leave,
      /** `const { message: text } = error`. */
      ObjectPattern({ properties }) {
        for (const { key, value } of properties) {
          const local = value?.type === 'AssignmentPattern' ? value.left : value;
          const isRenamed = local?.type === 'Identifier' && key?.name !== local.name;
          if (isRenamed && SENTENCES.has(key?.name)) addAlias(local.name, functions.at(-1));
        }
      },
      CallExpression(node) {
        const { callee, arguments: given } = node;
        if (callee.type !== 'MemberExpression' || callee.computed) return;
        const { name } = callee.property;
        readCallback(node);
        if (name === 'has' && isSentence(given[0])) report(node);
        if (OF_TEXTS.has(name) && (isSentence(callee.object) || isSentence(given[0]))) report(node);
        if (OF_PATTERNS.has(name) && isSentence(given[0])) report(node);
        if (REWRITES.has(name) && REWRITTEN.has(nameOf(callee.object))) report(node);
      },
      BinaryExpression(node) {
        const { left, right, operator } = node;
        if (!COMPARISONS.has(operator) || isNothing(left) || isNothing(right)) return;
        if (isComparable(left) || isComparable(right)) return;
        // Two of them may be the same, whatever they say.
        if (isSentence(left) !== isSentence(right)) report(node);
      },
      SwitchStatement({ discriminant }) {
        if (isSentence(discriminant) && !isComparable(discriminant)) report(discriminant);
      },
    };
  },
};

/** A literal without a blank is a name, not prose. */
const isProse = (text) => /\S\s+\S/u.test(text);

const plainWords = {
  create(context) {
    const check = (node, text) => {
      if (typeof text !== 'string' || !isProse(text)) return;
      for (const { found, instead } of findAvoidedPhrases(text)) {
        context.report({ node, message: `Plain words: "${found}". Write ${instead}.` });
      }
    };
    return {
      Literal: (node) => check(node, node.value),
      TemplateElement: (node) => check(node, node.value.cooked ?? node.value.raw),
      Program() {
        // The lines of a comment are one text: a phrase may be wrapped.
        for (const comment of context.sourceCode.getAllComments()) {
          check(comment, comment.value.replaceAll(/\s*\n\s*\*?\s*/gu, ' '));
        }
      },
    };
  },
};

export default {
  meta: { name: 'exai' },
  rules: {
    'plain-words': plainWords,
    'own-sentences': ownSentences,
    'no-current-date': noCurrentDate,
    'zod-as-namespace': zodAsNamespace,
    'cross-modules-by-name': crossModulesByName,
  },
};
