// Serves a folder on this machine: node serve.mjs FOLDER PORT

import { serve } from "./page.mjs";
import path from "node:path";

const [folder, port] = process.argv.slice(2);
await serve({ "/": path.resolve(folder) }, Number(port));
