// SPDX-License-Identifier: MIT
// The article's program, with row vectors and left-handed frames, for numbers of type REAL.
// log_quaternion.c includes it for float and for double; WALK(name) makes the names different.

typedef struct WALK(Matrix) {
    REAL m[3][3];
} WALK(Matrix);

typedef struct WALK(Arm) {
    WALK(Matrix) pose[LINKS];
} WALK(Arm);

static WALK(Matrix) WALK(multiply)(const WALK(Matrix) * a, const WALK(Matrix) * b) {
    WALK(Matrix) c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
    return c;
}

// Rotates a row vector: p <- p R.
static void WALK(turn)(REAL p[3], const WALK(Matrix) * r) {
    REAL out[3];
    for (int j = 0; j < 3; j++) {
        out[j] = p[0] * r->m[0][j] + p[1] * r->m[1][j] + p[2] * r->m[2][j];
    }
    memcpy(p, out, sizeof out);
}

// Computes the position of the tip, from the last link to the first. A link is (0, 0, 1).
static void WALK(tip)(const WALK(Arm) * arm, REAL p[3]) {
    p[0] = p[1] = p[2] = (REAL)0;
    for (int i = LINKS - 1; i >= 0; i--) {
        p[2] += (REAL)1;
        WALK(turn)(p, &arm->pose[i]);
    }
}

// Computes the rotations about z (roll), x (pitch) and y (yaw), and their derivatives (NULL: not
// wanted).
static void WALK(three_turns)(const REAL a[3], WALK(Matrix) r[3], WALK(Matrix) d[3]) {
    static const int axes[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    memset(r, 0, 3 * sizeof *r);
    for (int k = 0; k < 3; k++) {
        const int u = axes[k][0], v = axes[k][1];
        const REAL c = (REAL)cos((double)a[k]), s = (REAL)sin((double)a[k]);
        r[k].m[u][u] = r[k].m[v][v] = c;
        r[k].m[u][v] = s;
        r[k].m[v][u] = -s;
        r[k].m[3 - u - v][3 - u - v] = (REAL)1;
        if (d) {
            memset(&d[k], 0, sizeof d[k]);
            d[k].m[u][u] = d[k].m[v][v] = -s;
            d[k].m[u][v] = c;
            d[k].m[v][u] = -c;
        }
    }
}

// Returns R = Rz Rx Ry.
static WALK(Matrix) WALK(from_euler)(const REAL a[3]) {
    WALK(Matrix) r[3];
    WALK(three_turns)(a, r, NULL);
    const WALK(Matrix) first = WALK(multiply)(&r[0], &r[1]);
    return WALK(multiply)(&first, &r[2]);
}

// Computes the Euler angles. The article takes the pitch from an arcsine; `stable` takes it from an
// arctangent.
static void WALK(to_euler)(const WALK(Matrix) * r, bool stable, REAL a[3]) {
    a[0] = (REAL)atan2((double)r->m[0][1], (double)r->m[1][1]);
    a[2] = (REAL)atan2((double)r->m[2][0], (double)r->m[2][2]);
    const REAL level = (REAL)sqrt((double)(r->m[2][0] * r->m[2][0] + r->m[2][2] * r->m[2][2]));
    const double sine = fmax(-1.0, fmin(1.0, -(double)r->m[2][1]));
    a[1] = stable ? (REAL)atan2((double)-r->m[2][1], (double)level) : (REAL)asin(sine);
}

// Returns a matrix that is bilinear in two quaternions (w, x, y, z): R - 1 if `a` and `b` are
// equal, half of dR if `b` is a change of `a`.
static WALK(Matrix) WALK(bilinear)(const REAL a[4], const REAL b[4]) {
    WALK(Matrix) r;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        r.m[i][i] = -(REAL)2 * (a[1 + j] * b[1 + j] + a[1 + k] * b[1 + k]);
        const REAL both = a[1 + i] * b[1 + j] + b[1 + i] * a[1 + j];
        const REAL turn = a[0] * b[1 + k] + b[0] * a[1 + k];
        r.m[i][j] = both + turn;
        r.m[j][i] = both - turn;
    }
    return r;
}

static WALK(Matrix) WALK(from_quaternion)(const REAL q[4]) {
    WALK(Matrix) r = WALK(bilinear)(q, q);
    for (int i = 0; i < 3; i++) {
        r.m[i][i] += (REAL)1;
    }
    return r;
}

// Converts R to a quaternion; the square root is taken of its largest component.
static void WALK(to_quaternion)(const WALK(Matrix) * r, REAL q[4]) {
    const REAL trace = r->m[0][0] + r->m[1][1] + r->m[2][2];
    REAL square[4] = {(REAL)1 + trace, 0, 0, 0};
    int most = 0;
    for (int i = 0; i < 3; i++) {
        square[1 + i] = (REAL)1 + (REAL)2 * r->m[i][i] - trace;
        most = square[1 + i] > square[most] ? 1 + i : most;
    }
    const REAL root = (REAL)sqrt((double)square[most]) * (REAL)2;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const REAL skew = r->m[j][k] - r->m[k][j];
        if (most == 0) {
            q[1 + i] = skew / root;
        } else if (most == 1 + i) {
            q[0] = skew / root;
            q[1 + j] = (r->m[i][j] + r->m[j][i]) / root;
            q[1 + k] = (r->m[i][k] + r->m[k][i]) / root;
        }
    }
    q[most] = root / (REAL)4;
}

// Computes u = ln q with half the angle, and dR/du.
static void WALK(log_pose)(const WALK(Matrix) * r, REAL u[3], WALK(Matrix) derivatives[3]) {
    REAL q[4];
    WALK(to_quaternion)(r, q);
    const double cosine = fmax(-1.0, fmin(1.0, (double)q[0]));
    const double theta = acos(cosine);
    const double scale = theta > 1e-6 ? theta / sin(theta) : 1.0;
    for (int i = 0; i < 3; i++) {
        u[i] = (REAL)((double)q[1 + i] * scale);
    }
    PoiseQuat d[3];
    poise_quat_exp_half_derivative(poise_vec3((double)u[0], (double)u[1], (double)u[2]), d);
    for (int k = 0; k < 3; k++) {
        const REAL dq[4] = {(REAL)d[k].w, (REAL)d[k].x, (REAL)d[k].y, (REAL)d[k].z};
        derivatives[k] = WALK(bilinear)(q, dq);
        for (int n = 0; n < 9; n++) {
            derivatives[k].m[n / 3][n % 3] *= (REAL)2;
        }
    }
}

static WALK(Matrix) WALK(exp_pose)(const REAL u[3]) {
    const PoiseQuat q = poise_quat_exp_half(poise_vec3((double)u[0], (double)u[1], (double)u[2]));
    const REAL numbers[4] = {(REAL)q.w, (REAL)q.x, (REAL)q.y, (REAL)q.z};
    return WALK(from_quaternion)(numbers);
}

// Computes the three parameters of a joint, by log-quaternion or Euler angles, and the derivatives
// of its matrix.
static void WALK(parameters)(const WALK(Matrix) * r, Method method, REAL a[3], WALK(Matrix) d[3]) {
    if (method == METHOD_LOG) {
        WALK(log_pose)(r, a, d);
        return;
    }
    WALK(to_euler)(r, method == METHOD_EULER_ATAN, a);
    WALK(Matrix) turns[3];
    WALK(three_turns)(a, turns, d);
    const WALK(Matrix) first = WALK(multiply)(&turns[0], &turns[1]);
    const WALK(Matrix) last = WALK(multiply)(&turns[1], &turns[2]);
    const WALK(Matrix) middle = WALK(multiply)(&turns[0], &d[1]);
    d[0] = WALK(multiply)(&d[0], &last);
    d[1] = WALK(multiply)(&middle, &turns[2]);
    d[2] = WALK(multiply)(&first, &d[2]);
}

// Moves the tip by one step toward `goal`. False if the goal is nearer than a step.
static bool WALK(update)(WALK(Arm) * arm, Method method, const REAL goal[3]) {
    REAL outer[LINKS][3], p[3] = {0}, a[LINKS][3];
    WALK(Matrix) inner[LINKS];
    for (int i = LINKS - 1; i >= 0; i--) {
        p[2] += (REAL)1;
        memcpy(outer[i], p, sizeof p);
        WALK(turn)(p, &arm->pose[i]);
    }
    for (int i = 0; i < LINKS; i++) {
        inner[i] = i > 0 ? WALK(multiply)(&arm->pose[i - 1], &inner[i - 1])
                         : (WALK(Matrix)){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    }
    double jacobian[3 * LINKS][3], step[3 * LINKS];
    for (int i = 0; i < LINKS; i++) {
        WALK(Matrix) d[3];
        WALK(parameters)(&arm->pose[i], method, a[i], d);
        for (int k = 0; k < 3; k++) {
            REAL dp[3];
            memcpy(dp, outer[i], sizeof dp);
            WALK(turn)(dp, &d[k]);
            WALK(turn)(dp, &inner[i]);
            for (int c = 0; c < 3; c++) {
                jacobian[3 * i + k][c] = (double)dp[c];
            }
        }
    }
    const double remaining[3] = {(double)(goal[0] - p[0]), (double)(goal[1] - p[1]),
                                 (double)(goal[2] - p[2])};
    if (!least_step(jacobian, remaining, step)) {
        return false;
    }
    for (int i = 0; i < LINKS; i++) {
        for (int k = 0; k < 3; k++) {
            a[i][k] += (REAL)step[3 * i + k];
        }
        arm->pose[i] = method == METHOD_LOG ? WALK(exp_pose)(a[i]) : WALK(from_euler)(a[i]);
    }
    return true;
}

// Returns the root mean square of the excess steps over all walks. `times` gets the processor time
// of an update, us, for each walk.
static double WALK(trials)(Method method, uint64_t seed, double times[TRIALS]) {
    double sum = 0.0;
    for (int trial = 0; trial < walks; trial++) {
        WALK(Arm) arm;
        for (int i = 0; i < LINKS; i++) {
            REAL a[3];
            for (int k = 0; k < 3; k++) {
                a[k] = (REAL)(PI * random_part(&seed));
            }
            arm.pose[i] = WALK(from_euler)(a);
        }
        REAL goal[3];
        WALK(tip)(&arm, goal);
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            goal[k] = -goal[k];
            square += (double)goal[k] * (double)goal[k];
        }
        // the article counts the steps from 0 for log-quaternions and from 1 for Euler angles
        int loops = method == METHOD_LOG ? 0 : 1;
        const clock_t begin = clock();
        while (loops < 10000 && WALK(update)(&arm, method, goal)) {
            loops++;
        }
        times[trial] = microseconds(begin, loops);
        const double ideal = floor(2.0 * sqrt(square) / STEP) + 1.0;
        sum += ((double)loops - ideal) * ((double)loops - ideal);
    }
    return sqrt(sum / walks);
}
