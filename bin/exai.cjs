#!/usr/bin/env node
// Old syntax only: an old Node must get as far as the sentence that says it is too old.
var found = process.versions.node.split('.').map(Number);
var enough = found[0] > 20 || (found[0] === 20 && found[1] >= 19);

function notBuilt() {
  console.error('exai: the program is not built yet.');
  console.error('  fix: npm run build');
  process.exitCode = 22;
}

if (!enough) {
  console.error('exai: Node.js 20.19 or newer is needed; this is ' + process.version + '.');
  console.error('  fix: install a current Node.js from https://nodejs.org');
  process.exitCode = 22;
} else if (process.argv[2] === 'stdio' && process.argv.length === 3) {
  // A client waits for this one, so it goes past everything else.
  try {
    require('../dist/stdio.cjs');
  } catch (error) {
    if (!error || error.code !== 'MODULE_NOT_FOUND' || !/dist.stdio\.cjs/.test(error.message))
      throw error;
    notBuilt();
  }
} else {
  import('../dist/main.js').catch(function (error) {
    var missing =
      error && error.code === 'ERR_MODULE_NOT_FOUND' && /dist.main\.js/.test(error.url || '');
    if (!missing) throw error;
    notBuilt();
  });
}
