// Stores one key repeatedly in a separate process: <home> <name> <times>.
import { homePaths } from '../home/home.ts';
import { addKey } from './keys.ts';

const [, , root = '', name = '', times = '1'] = process.argv;
for (let n = 1; n <= Number(times); n++) addKey(homePaths({ EXAI_HOME: root }), name, `key-${n}`);
