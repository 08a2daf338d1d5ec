// Stores one key again and again, as a process of its own: <home> <name> <times>.
import { homePaths } from './home.ts';
import { addKey } from './keys.ts';

const [, , root = '', name = '', times = '1'] = process.argv;
for (let n = 1; n <= Number(times); n++) addKey(homePaths({ EXAI_HOME: root }), name, `key-${n}`);
