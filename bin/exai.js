#!/usr/bin/env node
// Old syntax only: an old Node must get as far as the sentence that says it is too old.
var found = process.versions.node.split('.').map(Number);
var enough = found[0] > 20 || (found[0] === 20 && found[1] >= 19);

if (!enough) {
  console.error('exai: Node.js 20.19 or newer is needed; this is ' + process.version + '.');
  console.error('  fix: install a current Node.js from https://nodejs.org');
  process.exitCode = 22;
} else {
  import('../dist/main.js').catch(function (error) {
    var missing =
      error && error.code === 'ERR_MODULE_NOT_FOUND' && /dist.main\.js/.test(error.url || '');
    if (!missing) throw error;
    console.error('exai: the program is not built yet.');
    console.error('  fix: npm run build');
    process.exitCode = 22;
  });
}
