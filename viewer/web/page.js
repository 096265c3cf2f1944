// SPDX-License-Identifier: MIT
// The page around the viewer: its canvas and events, the text of the scene, links, and files. The
// page asks no other host for anything.
'use strict';

const SCENES = ['panda_square', 'reach', 'full_body', 'stand_and_reach', 'stand_and_press', 'walk',
    'quadruped_sway', 'knocked_ragdoll', 'red_and_white', 'springhead_force', 'press_wall', 'yields',
    'yoga', 'limits', 'wave', 'arm6'];
/** Largest file that is dropped, and largest fragment of a link, bytes. */
const MOST_FILE = 16 << 20;
const MOST_LINK = 32 << 10;
/** Path of a link's replay. */
const LINK = '/scenes/link.replay';
/** Longest that a mesh is read, ms, and what each byte of it adds. */
const MESH_TIME = 20000, MESH_TIME_BYTE = 1e-3;
const MESH = /\.(stl|obj|dae|gltf|glb|ply)$/i;
/** Files that can be opened. Of several the first kind is, since it names the others. */
const OPENED = [/\.replay$/i, /\.yaml$/i, /\.(urdf|xml)$/i];
const SHIFT = 1, CTRL = 2, ALT = 4;
/** Numbers of keys that have no letter. */
const KEYS = {' ': 32, Escape: 256, Enter: 257, Tab: 258, Backspace: 259, Delete: 261, ArrowRight: 262,
    ArrowLeft: 263, ArrowDown: 264, ArrowUp: 265, Home: 268, F1: 290};

const by = id => document.getElementById(id);
const canvas = by('canvas');
/** What the page shows: the path in its memory. */
const shown = {path: ''};
/** Paths of the page's own scenes. */
const own = new Set();
let running = false;
/** True if a link may lack files that the scene names. */
let droppedMore = false;
/** What the program said since a file was opened: its warnings. */
let printed = '';

function say(text) {
    if (by('said').querySelector('button')) {
        return; // a program that ended can only be started again
    }
    by('said').textContent = text;
    by('said').title = text;
}

function call(name, type, types = [], values = []) {
    return running ? Module.ccall(name, type, types, values) : 0;
}

// ---------------------------------------------------------------------------------------- links

async function through(stream, bytes) {
    const body = new Response(new Blob([bytes]).stream().pipeThrough(stream));
    return new Uint8Array(await body.arrayBuffer());
}

async function pack(state) {
    const bytes = await through(new CompressionStream('deflate-raw'),
        new TextEncoder().encode(JSON.stringify(state)));
    let letters = '';
    for (const byte of bytes) {
        letters += String.fromCharCode(byte);
    }
    return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Returns what a fragment says. Throws why, after a colon, if it was cut or changed. */
async function unpack(fragment) {
    if (fragment.length > MOST_LINK) {
        throw ': the link is longer than 32 KB';
    }
    const letters = atob(fragment.replaceAll('-', '+').replaceAll('_', '/'));
    const stream = new DecompressionStream('deflate-raw');
    const bytes = await through(stream, Uint8Array.from(letters, letter => letter.charCodeAt(0)));
    if (bytes.length > MOST_FILE) {
        throw ': the link holds more than 16 MB';
    }
    const state = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof state !== 'object' || !state || typeof (state.text ?? '') !== 'string' ||
        typeof (state.replay ?? '') !== 'string' || typeof (state.scene ?? '') !== 'string') {
        throw ': the link holds no scene';
    }
    return state;
}

/** Shows what the fragment says. Returns false, and the old scene stays, if it says nothing good. */
async function follow(fragment) {
    const [, kind, value] = /^#?(scene|z)=(.*)$/s.exec(fragment) ?? [];
    if (kind === 'scene') {
        return show(`/scenes/${value.replace(/[^\w.-]/g, '')}.yaml`);
    }
    if (kind !== 'z') {
        return false;
    }
    try {
        return showState(await unpack(value));
    } catch (error) {
        // what a browser says of bytes that are no link helps nobody
        say(`This link was cut or changed${typeof error === 'string' ? error : ''}`);
        return false;
    }
}

/** Shows a scene of this name and text, or the replay of it. Without a text it is the page's own. */
function showState({scene, text, replay}) {
    const name = (scene ?? 'scene.yaml').replace(/^.*\//s, '');
    const path = text ? users(name) : `/scenes/${name}`;
    if (text) {
        write(path, text);
    }
    if (!replay) {
        return show(path);
    }
    write(LINK, replay);
    return show(LINK);
}

/** Returns the path of a user's file of this name. It lies beside the page's own scenes, since it names
 * robots as they do, and never takes the place of one. A robot takes that of the page's with its path. */
function users(name) {
    const path = `/scenes/${name}`;
    return own.has(path) ? path.replace('.yaml', '_edited.yaml') : path;
}

/** Returns the name and the text of what is shown. */
function stateShown() {
    const state = {scene: shown.path.replace(/^.*\//, '')};
    if (!own.has(shown.path)) {
        state.text = read(shown.path);
    }
    return state;
}

async function share() {
    const state = stateShown();
    if (call('poise_web_time', 'number') > 0 && call('poise_web_save', 'number', ['string'], [LINK])) {
        state.replay = read(LINK);
    }
    const packed = await pack(state);
    if (packed.length > MOST_LINK) {
        say('This scene and its run are too long for a link of 32 KB; save the run by Ctrl+Shift+S');
        return '';
    }
    const whole = droppedMore && state.text ? ', without the other dropped files' : '';
    history.replaceState(null, '', `#z=${packed}`);
    try {
        await navigator.clipboard.writeText(location.href);
        say(`The link is copied: ${location.href.length} bytes${whole}`);
    } catch {
        say(`The link is in the address bar: ${location.href.length} bytes${whole}`);
    }
    return location.href;
}

// ---------------------------------------------------------------------------------------- files

function write(path, data) {
    Module.FS.mkdirTree(path.replace(/\/[^/]*$/, '') || '/');
    Module.FS.writeFile(path, data);
}

function read(path) {
    return Module.FS.readFile(path, {encoding: 'utf8'});
}

/** Opens a file of the page's memory. Says why, and keeps the old scene, if it cannot be shown. */
function show(path) {
    printed = '';
    const good = call('poise_web_open', 'number', ['string'], [path]);
    const findings = call('poise_web_findings', 'string') || printed;
    list(findings);
    if (!good) {
        say(findings.split('\n')[0] || `${path} cannot be read`);
        return false;
    }
    shown.path = call('poise_web_scene', 'string');
    const name = shown.path.replace(/^.*\//, '').replace(/\.yaml$/, '');
    if (![...by('scenes').options].some(option => option.value === name)) {
        by('scenes').append(new Option(name.replaceAll('_', ' '), name));
    }
    by('scenes').value = name;
    say(findings.split('\n')[0]);
    return true;
}

/** Asks a worker and returns its answer; null if it ended, or has none in time, ms. */
function ask(worker, message, time) {
    return new Promise(done => {
        const late = setTimeout(done, time, null);
        const end = value => {
            clearTimeout(late);
            done(value);
        };
        worker.onmessage = event => end(event.data);
        worker.onerror = () => end(null);
        worker.postMessage(message);
    });
}

/** Reads meshes by a worker, whose program the page fetches here, and keeps what the worker sends. A
 * mesh that ends its worker, or takes too long, is left out: poise-view says so. */
async function readMeshes(files) {
    let worker = null;
    for (const [path, bytes] of files.filter(([path]) => MESH.test(path))) {
        say(`Reading ${path.replace(/^.*\//, '')}`);
        if (!worker) {
            worker = new Worker('meshes.js');
            await ask(worker, {files}, MESH_TIME);
        }
        const mesh = await ask(worker, {read: path}, MESH_TIME + MESH_TIME_BYTE * bytes.length);
        write(`/meshes${path}`, mesh ?? new Uint8Array(0));
        if (!mesh) {
            worker.terminate();
            worker = null;
        }
    }
    worker?.terminate();
}

async function drop(files) {
    const paths = [];
    const others = [];
    for (const file of files) {
        const name = (file.webkitRelativePath || file.name).replace(/\.\.(\/|$)/g, '');
        if (file.size > MOST_FILE) {
            say(`${name} is larger than 16 MB`);
            return;
        }
        const path = users(name);
        try {
            const bytes = new Uint8Array(await file.arrayBuffer());
            write(path, bytes);
            (OPENED.some(kind => kind.test(name)) ? paths : others).push([path, bytes]);
        } catch {
            say(`${name} cannot be read; drop files, not their folder`);
            return;
        }
    }
    droppedMore ||= others.length > 0 || paths.length > 1;
    await readMeshes(others);
    const [first] = OPENED.map(kind => paths.find(([path]) => kind.test(path))).find(found => found) ?? [];
    if (first) {
        show(first);
    } else {
        say('Drop a scene (.yaml), a robot (.urdf, .xml) with its meshes, or a replay');
    }
}

function give(name, blob) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name.replace(/^.*\//, '');
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// --------------------------------------------------------------------------------------- editor

/** Lists findings, `file:line:column: error: text`; a click puts the cursor there. */
function list(findings) {
    by('findings').replaceChildren();
    for (const line of findings.split('\n')) {
        const [, row, column] = /^[^:]+:(\d+):(\d+): /.exec(line) ?? [];
        if (!row) {
            continue;
        }
        const item = document.createElement('li');
        item.textContent = line;
        item.onclick = () => {
            const before = by('text').value.split('\n').slice(0, row - 1);
            const at = before.reduce((sum, text) => sum + text.length + 1, 0) + Number(column) - 1;
            by('text').focus();
            by('text').setSelectionRange(at, at + 1);
        };
        by('findings').append(item);
    }
}

function edit(text) {
    by('text').value = text;
    by('editor').hidden = false;
    by('text').focus();
}

function apply() {
    const path = users(shown.path.slice('/scenes/'.length));
    const before = Module.FS.analyzePath(path).exists ? read(path) : null;
    write(path, by('text').value);
    if (!show(path) && before !== null) {
        write(path, before);
    }
}

// --------------------------------------------------------------------------------------- events

function mods(event) {
    return (event.shiftKey ? SHIFT : 0) | (event.ctrlKey || event.metaKey ? CTRL : 0) | (event.altKey ? ALT : 0);
}

function place(event) {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
}

function pointer([x, y]) {
    call('poise_web_pointer', null, ['number', 'number'], [x, y]);
}

function button(which, pressed, event) {
    call('poise_web_button', null, ['number', 'number', 'number'], [which, pressed, mods(event)]);
}

/** Fingers on the canvas, by their number. One drags as the left button; two turn and zoom. */
const fingers = new Map();
let held = -1;

function middle() {
    const [a, b] = [...fingers.values()];
    return {at: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], apart: Math.hypot(a[0] - b[0], a[1] - b[1])};
}

function hold(which, at, event) {
    if (held >= 0) {
        button(held, 0, event);
    }
    held = which;
    if (held >= 0) {
        pointer(at);
        button(held, 1, event);
    }
}

function touch(event) {
    const at = place(event);
    if (event.type === 'pointerdown') {
        fingers.set(event.pointerId, at);
        const two = fingers.size === 2;
        hold(two ? 1 : fingers.size === 1 ? 0 : -1, two ? middle().at : at, event);
    } else if (event.type === 'pointermove' && fingers.has(event.pointerId)) {
        const before = fingers.size === 2 ? middle() : null;
        fingers.set(event.pointerId, at);
        pointer(before ? middle().at : at);
        if (before && before.apart > 0) {
            call('poise_web_wheel', null, ['number', 'number'],
                [0, 8 * Math.log(middle().apart / before.apart)]);
        }
    } else if (fingers.delete(event.pointerId)) {
        hold(-1, at, event);
        pointer([-1, -1]); // a lifted finger is nowhere
    }
}

function mouse(event) {
    pointer(place(event));
    if (event.type !== 'pointermove') {
        button([0, 2, 1][event.button] ?? 0, event.type === 'pointerdown' ? 1 : 0, event);
    }
}

function key(event) {
    const letter = event.key.length === 1 ? event.key.toUpperCase().codePointAt(0) : 0;
    const code = KEYS[event.key] ?? letter;
    // + is a key of its own, whatever Shift says
    const bits = event.key === '+' ? mods(event) & ~SHIFT : mods(event);
    if (code) {
        call('poise_web_key', null, ['number', 'number', 'number', 'number'],
            [code, event.type === 'keydown' ? 1 : 0, event.repeat ? 1 : 0, bits]);
    }
    if (event.type === 'keydown' && event.key.length === 1 && !(bits & (CTRL | ALT))) {
        call('poise_web_text', null, ['number'], [event.key.codePointAt(0)]);
    }
    // Tab leaves the canvas by Shift+Tab alone; a person without a mouse can go on
    if (code && !(event.key === 'Tab' && event.shiftKey)) {
        event.preventDefault();
    }
}

function act(letter, bits) {
    call('poise_web_key', null, ['number', 'number', 'number', 'number'], [letter.charCodeAt(0), 1, 0, bits]);
    call('poise_web_key', null, ['number', 'number', 'number', 'number'], [letter.charCodeAt(0), 0, 0, bits]);
}

/** Switches the panels, which leave little room on a phone, off or on. */
function tab() {
    call('poise_web_key', null, ['number', 'number', 'number', 'number'], [KEYS.Tab, 1, 0, 0]);
    call('poise_web_key', null, ['number', 'number', 'number', 'number'], [KEYS.Tab, 0, 0, 0]);
}

function resize() {
    call('poise_web_resize', null, ['number', 'number', 'number'],
        [canvas.clientWidth, canvas.clientHeight, window.devicePixelRatio]);
}

/** Returns a button that shows a scene, with its picture. */
function picture(name) {
    const button = document.createElement('button');
    const image = new Image(120, 90);
    image.loading = 'lazy';
    image.alt = '';
    image.src = `pictures/${name}.webp`;
    button.append(image, name.replaceAll('_', ' '));
    button.onclick = () => {
        by('pictures').hidden = true;
        location.hash = `scene=${name}`;
    };
    return button;
}

function listen() {
    for (const name of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel']) {
        canvas.addEventListener(name, event => {
            if (name === 'pointerdown') {
                canvas.focus();
                canvas.setPointerCapture(event.pointerId);
            }
            (event.pointerType === 'touch' ? touch : mouse)(event);
            event.preventDefault();
        });
    }
    canvas.addEventListener('contextmenu', event => event.preventDefault());
    canvas.addEventListener('wheel', event => {
        call('poise_web_wheel', null, ['number', 'number'], [0, -event.deltaY / 100]);
        event.preventDefault();
    }, {passive: false});
    canvas.addEventListener('keydown', key);
    canvas.addEventListener('keyup', key);
    addEventListener('dragover', event => event.preventDefault());
    addEventListener('drop', event => {
        event.preventDefault();
        drop(event.dataTransfer.files);
    });
    addEventListener('hashchange', () => follow(location.hash));
    new ResizeObserver(resize).observe(canvas);
    by('edit').onclick = () => edit(read(shown.path));
    by('apply').onclick = apply;
    by('close').onclick = () => by('editor').hidden = true;
    by('share').onclick = share;
    by('panels').onclick = tab;
    by('picture').onclick = () => act('P', CTRL);
    by('film').onclick = () => act('R', CTRL);
    by('scenes').onchange = event => location.hash = `scene=${event.target.value}`;
    by('gallery').onclick = () => by('pictures').hidden = !by('pictures').hidden;
    for (const name of SCENES) {
        by('scenes').append(new Option(name.replaceAll('_', ' '), name));
        by('pictures').append(picture(name));
    }
}

// -------------------------------------------------------------------------------------- program

/** Says that the program ended, and offers a start with the texts of the scene and of the editor. */
function fail(why) {
    running = false;
    if (by('said').querySelector('button')) {
        return; // it said so already
    }
    say('');
    const again = document.createElement('button');
    again.textContent = 'Start again';
    again.onclick = () => {
        const draft = by('editor').hidden ? null : by('text').value;
        try {
            history.replaceState({...stateShown(), draft}, '');
        } catch {
            // nothing was shown yet, or its text is longer than a browser keeps
        }
        location.reload();
    };
    by('said').append(`The program ended (${String(why || 'no memory is left').slice(0, 80)}). `, again);
}

let recorder = null;
var Module = {
    canvas,
    // the first view suits the canvas; a phone has no room for panels
    arguments: ['panda_square', '--size', `${canvas.clientWidth}x${canvas.clientHeight}`,
        ...(canvas.clientWidth < 600 ? ['--overlay', 'clean'] : [])],
    print: text => console.log(text),
    printErr(text) {
        console.info(text);
        printed += `${text}\n`;
    },
    onAbort: fail,
    /** The program has drawn nothing yet, and takes events from here on. */
    begun() {
        running = true;
        // the page has one user; new files have no rights, since there is no umask
        Module.FS.ignorePermissions = true;
        for (const name of Module.FS.readdir('/scenes')) {
            own.add(`/scenes/${name}`);
        }
        shown.path = call('poise_web_scene', 'string');
        say('');
        resize();
        const kept = history.state;
        history.replaceState(null, '');
        Promise.resolve(kept ? showState(kept) : follow(location.hash)).then(() => document.body.dataset.ready = 'yes');
        if (typeof kept?.draft === 'string') {
            edit(kept.draft);
        }
    },
    /** Pictures and films are no files: savePicture and film give them. */
    give(path) {
        if (Module.FS.analyzePath(path).exists) {
            give(path, new Blob([Module.FS.readFile(path)]));
        }
    },
    savePicture(path, rgb, width, height) {
        const picture = document.createElement('canvas');
        [picture.width, picture.height] = [width, height];
        const image = new ImageData(width, height);
        for (let i = 0, j = 0; i < rgb.length; i += 3, j += 4) {
            image.data.set([rgb[i], rgb[i + 1], rgb[i + 2], 255], j);
        }
        picture.getContext('2d').putImageData(image, 0, 0);
        picture.toBlob(blob => give(path, blob));
    },
    film(begins, rate) {
        if (begins && typeof MediaRecorder !== 'undefined') {
            recorder = new MediaRecorder(canvas.captureStream(rate));
            recorder.ondataavailable = event => give('poise.webm', event.data);
            recorder.start();
        } else if (recorder) {
            recorder.stop();
            recorder = null;
        }
        return begins ? recorder !== null : true;
    },
};

/** Ends where the program trapped: in a frame, in an event, or in what waits for a file. */
function watch(message) {
    if (running && /RuntimeError|memory access|unreachable|Aborted/.test(message)) {
        fail(message);
    }
}

window.addEventListener('error', event => watch(event.message));
window.addEventListener('unhandledrejection', event => watch(String(event.reason)));
listen();
const program = document.createElement('script');
program.src = 'poise-view.js';
program.onerror = () => say('poise-view.js is missing: viewer/web/build makes it');
document.body.append(program);
