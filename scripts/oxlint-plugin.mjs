// The rules that oxlint has no setting for. Loaded by .oxlintrc.json; plain JavaScript, because oxlint imports it as it is.

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

export default {
  meta: { name: 'exai' },
  rules: { 'no-current-date': noCurrentDate, 'zod-as-namespace': zodAsNamespace },
};
