// SPDX-License-Identifier: MIT
// read_meshes.js BUILD MESH...: reads the meshes of the page's own scenes into BUILD/meshes-of-page, as
// its worker reads those that are dropped.
'use strict';
const {mkdirSync, readFileSync, writeFileSync} = require('node:fs');
const {dirname} = require('node:path');

const [, , build, ...meshes] = process.argv;
const program = require(`${build}/poise-meshes.js`);
program.onRuntimeInitialized = () => {
    for (const path of meshes) {
        program.FS.mkdirTree(`/${dirname(path)}`);
        program.FS.writeFile(`/${path}`, readFileSync(path));
        program.ccall('poise_mesh_read', null, ['string', 'string'], [`/${path}`, '/mesh']);
        mkdirSync(`${build}/meshes-of-page/${dirname(path)}`, {recursive: true});
        writeFileSync(`${build}/meshes-of-page/${path}`, program.FS.readFile('/mesh'));
    }
};
