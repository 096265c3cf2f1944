// SPDX-License-Identifier: MIT
// The worker that reads meshes, for page.js. It answers each message: {files: [[path, bytes]...]} with
// true, {read: path} with the bytes that the page's program takes, or null.
'use strict';

var Module = {printErr() {}};
const begun = new Promise(done => Module.onRuntimeInitialized = done);

function answer({files, read}) {
    if (files) {
        for (const [path, bytes] of files) {
            Module.FS.mkdirTree(path.replace(/\/[^/]*$/, '') || '/');
            Module.FS.writeFile(path, bytes);
        }
        return true;
    }
    Module.ccall('poise_mesh_read', null, ['string', 'string'], [read, '/mesh']);
    return Module.FS.analyzePath('/mesh').exists ? Module.FS.readFile('/mesh') : null;
}

onmessage = async ({data}) => {
    await begun;
    try {
        postMessage(answer(data));
    } catch {
        // the file took all memory, or ended the program
        postMessage(null);
    }
};

importScripts('poise-meshes.js');
